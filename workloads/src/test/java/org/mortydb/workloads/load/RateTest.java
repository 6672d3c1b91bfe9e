package org.mortydb.workloads.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RateTest {
  @ParameterizedTest
  @CsvSource({
    "5000,     5000,     5000",
    "0.5,      0.5,      0.5",
    "1e3,      1000,     1000",
    "max,      max*1,    8000",
    "max*0.50, max*0.5,  4000",
    "max * 1.1, max*1.1, 8800"
  })
  void readsRatesAndSharesOfTheSaturatedRate(String text, String written, double perSecond) {
    Rate rate = Rate.parse(text);
    assertThat(rate).hasToString(written);
    assertThat(rate.perSecond(8_000)).isEqualTo(perSecond, within(1e-6));
    assertThat(Rate.parse(rate.toString())).isEqualTo(rate);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "fast", "max0.5", "max*", "max*x", "0", "-1", "max*0", "max*3", "NaN"})
  void refusesOthers(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> Rate.parse(text));
  }

  @Test
  void anErrorNamesBothForms() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rate.parse("fast"))
        .withMessageContainingAll("5000", "max*0.5", "'fast'");
  }
}
