package org.mortydb.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class CoordinatorOptionsTest {
  private static final ReexecutionPolicy ONCE = ReexecutionPolicy.upTo(1);

  @Test
  void refusesTimesOutOfTheirRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CoordinatorOptions(0, 1, 1, 0, 0, ONCE))
        .withMessageContaining("deadline");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CoordinatorOptions(1, 0, 1, 0, 0, ONCE))
        .withMessageContaining("grace");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CoordinatorOptions(1, 1, 0, 0, 0, ONCE))
        .withMessageContaining("resend");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CoordinatorOptions(1, 1, 1, -1, 0, ONCE))
        .withMessageContaining("slow path");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CoordinatorOptions(1, 1, 1, 0, -1, ONCE))
        .withMessageContaining("commit wait");
  }

  @Test
  void policyCountsReexecutions() {
    assertThat(ONCE.allows(0)).isTrue();
    assertThat(ONCE.allows(1)).isFalse();
    assertThat(ReexecutionPolicy.NEVER.allows(0)).isFalse();
  }
}
