package org.mortydb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Properties;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.WorkloadException;

class EconomyPropertiesTest {
  private final Properties properties = new Properties();

  private static void assertRefused(ThrowingCallable read, String... message) {
    assertThatThrownBy(read).isInstanceOf(WorkloadException.class).hasMessageContainingAll(message);
  }

  @Test
  void defaultsAndWeightsAreRead() throws Exception {
    assertThat(ClosedEconomyWorkload.size(properties, 10)).isEqualTo(2);
    assertThat(ClosedEconomyWorkload.flag(properties, "transactional")).isTrue();
    assertThat(ClosedEconomyWorkload.proportion(properties, EconomyOperation.READ)).isEqualTo(0.5);
    properties.setProperty("transactional", "False");
    properties.setProperty("readproportion", "45");
    assertThat(ClosedEconomyWorkload.flag(properties, "transactional")).isFalse();
    assertThat(ClosedEconomyWorkload.proportion(properties, EconomyOperation.READ)).isEqualTo(45);
  }

  /** 4294967298 has the same last 32 bits as 2. */
  @ParameterizedTest
  @ValueSource(strings = {"11", "4294967298"})
  void aTransactionDoesNotHaveMoreAccountsThanThereAre(String size) {
    properties.setProperty("transactionsize", size);
    assertRefused(
        () -> ClosedEconomyWorkload.size(properties, 10), "transactionsize is " + size, "10 accou");
  }

  @Test
  void aTransactionHasNotMoreAccountsThanItMayRead() {
    properties.setProperty("transactionsize", "10000");
    assertRefused(() -> ClosedEconomyWorkload.size(properties, 20_000), "at most 4096");
  }

  @ParameterizedTest
  @ValueSource(strings = {"half", "-0.1", "NaN", "Infinity", ""})
  void aProportionThatIsNoneIsNamed(String text) {
    properties.setProperty("readproportion", text);
    assertRefused(
        () -> ClosedEconomyWorkload.proportion(properties, EconomyOperation.READ),
        "property readproportion must be a number of 0 or more, not '" + text + "'");
  }

  /** Java counts each of them as false, and updates would be lost. */
  @ParameterizedTest
  @ValueSource(strings = {"yes", "1", "treu", ""})
  void whatIsNeitherTrueNorFalseIsNamed(String text) {
    properties.setProperty("transactional", text);
    assertRefused(
        () -> ClosedEconomyWorkload.flag(properties, "transactional"),
        "property transactional must be true or false, not '" + text + "'");
  }
}
