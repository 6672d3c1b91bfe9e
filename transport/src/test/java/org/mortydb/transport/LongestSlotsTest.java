package org.mortydb.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** docs/protocol.md, section 12. */
class LongestSlotsTest {
  private static final long KEPT = LongestSlots.KEPT_NANOS;

  private final LongestSlots slots = new LongestSlots();

  @Test
  void theLongestCounts() {
    assertThat(slots.longest(0, 0)).isZero();
    assertThat(slots.longest(8_000, 0)).isEqualTo(8_000);
    assertThat(slots.longest(32_000, 1)).isEqualTo(32_000);
    assertThat(slots.longest(0, 2)).isEqualTo(32_000);
  }

  @Test
  void whatIsNotRepeatedIsForgotten() {
    slots.longest(32_000, KEPT);
    assertThat(slots.longest(8_000, 2 * KEPT - 1)).isEqualTo(32_000);
    assertThat(slots.longest(8_000, 2 * KEPT)).isEqualTo(32_000);
    assertThat(slots.longest(0, 3 * KEPT)).isEqualTo(8_000);
    assertThat(slots.longest(0, 4 * KEPT)).isZero();
    slots.longest(32_000, 4 * KEPT);
    assertThat(slots.longest(0, 9 * KEPT)).as("after a long silence").isZero();
  }

  @Test
  void numbersOutOfRangeAreBounded() {
    assertThat(slots.longest(-1, KEPT)).isZero();
    assertThat(slots.longest(Integer.MAX_VALUE, KEPT)).isEqualTo(1_000_000);
  }
}
