package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** docs/protocol.md, section 12. */
class SlotClockTest {
  private static final long NOW = 1_795_000_000_000_000L;
  private static final long DELAY = 16_000;

  private final SlotClock clock = new SlotClock(new RegionSlots(0, 3, 0, 300_000, false));

  private void attempts(int count, int contendedOneIn, long delayMicros) {
    for (int i = 1; i <= count; i++) {
      boolean contended = contendedOneIn > 0 && i % contendedOneIn == 0;
      clock.ended(contended, contended ? 30 * delayMicros : 2 * delayMicros, delayMicros);
    }
  }

  @Test
  void isTheWallClockUntilTransactionsContend() {
    attempts(1_000, 0, DELAY);
    assertThat(clock.read(NOW)).isEqualTo(NOW);
    attempts(2_000, 60, DELAY);
    assertThat(clock.read(NOW)).as("a fifth of the time is not enough").isEqualTo(NOW);
  }

  /** Attempts may be slow for other reasons. */
  @Test
  void isTheWallClockIfAttemptsTakeLongWithoutContention() {
    for (int i = 0; i < 2_000; i++) {
      clock.ended(false, 10 * DELAY, DELAY);
    }
    assertThat(clock.read(NOW)).isEqualTo(NOW);
  }

  @Test
  void usesSlotsWhileTransactionsContend() {
    attempts(600, 2, DELAY);
    assertThat(clock.lengthMicros()).isEqualTo(128_000);
    attempts(600, 10, DELAY);
    assertThat(clock.lengthMicros()).as("contention within a region remains").isPositive();
    attempts(1_500, 0, DELAY);
    assertThat(clock.lengthMicros()).isZero();
  }

  @Test
  void usesNoSlotsWhileItDoesNotKnowTheDelay() {
    attempts(1_000, 1, 0);
    assertThat(clock.lengthMicros()).isZero();
  }

  @Test
  void shortChainsGetShortSlots() {
    for (int i = 0; i < 2_000; i++) {
      clock.ended(i % 4 == 0, i % 4 == 0 ? 20 * DELAY : 2 * DELAY, DELAY);
    }
    assertThat(clock.lengthMicros()).isEqualTo(32_000);
  }

  @Test
  void givesUpSlotsThatMakeTransactionsContendButDoNotQueue() {
    attempts(600, 2, DELAY);
    for (int i = 0; i < 2_000; i++) {
      clock.ended(i % 2 == 0, 5 * DELAY / 2, DELAY);
    }
    assertThat(clock.lengthMicros()).isZero();
  }

  @Test
  void followsTheDelay() {
    attempts(600, 1, DELAY);
    attempts(2_000, 1, DELAY / 8);
    assertThat(clock.lengthMicros()).isEqualTo(16_000);
  }

  @Test
  void aGivenLengthIsUsedWhateverHappens() {
    SlotClock given = new SlotClock(new RegionSlots(1, 3, 5_000, 300_000, false));
    for (int i = 0; i < 400; i++) {
      given.ended(false, 100, DELAY);
    }
    assertThat(given.lengthMicros()).isEqualTo(5_000);
    assertThat(given.read(NOW)).isNotEqualTo(NOW);
    assertThat(new SlotClock(RegionSlots.NONE).read(NOW)).isEqualTo(NOW);
  }
}
