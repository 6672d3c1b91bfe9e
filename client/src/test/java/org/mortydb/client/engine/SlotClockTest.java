package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/protocol.md, section 12. */
class SlotClockTest {
  private static final long NOW = 1_795_000_000_000_000L;
  private static final long DELAY = 16_000;

  private final SlotClock clock = new SlotClock(slots(0, false));
  private final ArrayDeque<Open> open = new ArrayDeque<>();
  private long now = NOW;

  private static RegionSlots slots(long lengthMicros, boolean afterClock) {
    return new RegionSlots(0, 3, lengthMicros, 300_000, afterClock);
  }

  private record Open(long since, long until, boolean contended) {}

  /** One in so many contended attempts loses a conflict; 0 for none. */
  private int lostOneIn;

  /**
   * Lets attempts begin in turn for a while.
   *
   * @param contendedOneIn how many begin for each contended one; 0 for none
   */
  private void run(
      SlotClock of, long micros, long delay, int contendedOneIn, long contendedMicros, long other) {
    List<Open> live = new ArrayList<>(open);
    open.clear();
    long end = now + micros;
    for (int i = 1; now < end; i++) {
      now += 500;
      of.read(now, delay, 0);
      of.contention().began();
      boolean contended = contendedOneIn > 0 && i % contendedOneIn == 0;
      if (contended) {
        of.contention().contends(0);
      }
      live.add(new Open(now, now + (contended ? contendedMicros : other), contended));
      boolean loses = contended && lostOneIn > 0 && i / contendedOneIn % lostOneIn == 0;
      live.removeIf(
          attempt -> {
            if (attempt.until > now) {
              return false;
            }
            boolean lost = loses && attempt.contended;
            of.contention().ended(attempt.contended, attempt.contended, lost, now - attempt.since);
            if (!attempt.contended) {
              of.contention().committedCalmly(now - attempt.since);
            }
            return true;
          });
    }
    open.addAll(live);
  }

  private void chains(long micros, long contendedMicros) {
    run(clock, micros, DELAY, 2, contendedMicros, 2 * DELAY);
  }

  @Test
  void isTheWallClockUntilTransactionsContend() {
    run(clock, 2_000_000, DELAY, 0, 0, 2 * DELAY);
    assertThat(clock.read(now, DELAY, 0)).isEqualTo(now);
    run(clock, 4_000_000, DELAY, 60, 30 * DELAY, 2 * DELAY);
    assertThat(clock.read(now, DELAY, 0)).as("a fifth of the time is not enough").isEqualTo(now);
  }

  /** Attempts may be slow for other reasons. */
  @Test
  void isTheWallClockIfAttemptsTakeLongWithoutContention() {
    run(clock, 2_000_000, DELAY, 0, 0, 20 * DELAY);
    assertThat(clock.lengthMicros()).isZero();
  }

  @Test
  void isTheWallClockIfTransactionsThatContendDoNotWait() {
    chains(2_000_000, 3 * DELAY);
    assertThat(clock.lengthMicros()).isZero();
  }

  /** Busy processors delay all attempts, and slots do not help against that. */
  @Test
  void attemptsWithoutContentionSayHowLongTheWaitForProcessorsIs() {
    run(clock, 4_000_000, DELAY, 2, 24 * DELAY, 8 * DELAY);
    assertThat(clock.lengthMicros()).as("short chains").isEqualTo(32_000);
    run(clock, 4_000_000, DELAY, 2, 120 * DELAY, 8 * DELAY);
    assertThat(clock.lengthMicros()).as("long chains").isEqualTo(64_000);
  }

  @Test
  void waitMicrosFollowsAttemptsThatDoNotContend() {
    assertThat(clock.waitMicros()).as("no delay is known").isZero();
    run(clock, 1_000_000, DELAY, 2, 40 * DELAY, DELAY);
    assertThat(clock.waitMicros()).as("a round trip at least").isEqualTo(2 * DELAY);
    run(clock, 4_000_000, DELAY, 2, 40 * DELAY, 8 * DELAY);
    assertThat(clock.waitMicros()).isCloseTo(8 * DELAY, within(DELAY / 4));
  }

  /** Some of those that do not contend have waited in chains, too, for outcomes. */
  @Test
  void fewFastAttemptsShowThatOthersWaitInChains() {
    for (int i = 0; i < 4; i++) {
      clock.contention().committedCalmly(60 * DELAY);
      clock.contention().committedCalmly(2 * DELAY);
    }
    clock.read(now, DELAY, 0);
    assertThat(clock.waitMicros()).isLessThan(4 * DELAY);
  }

  /**
   * The transactions of a chain over long distances wait for seconds, and nothing ends meanwhile.
   */
  @ParameterizedTest
  @CsvSource({"1_000, 500_000, 4_000", "16_000, 500_000, 64_000", "115_000, 2_000_000, 512_000"})
  void findsItsLengthWhileHardlyAnyAttemptEnds(long delay, long within, long length) {
    for (int i = 0; i < 20; i++) {
      clock.contention().began();
      clock.contention().contends(0);
    }
    for (long passed = 0; passed <= within; passed += 1_000) {
      clock.read(now + passed, delay, 0);
    }
    assertThat(clock.lengthMicros()).isEqualTo(length);
  }

  /** What is seen first is what ends first: attempts that did not wait. */
  @Test
  void slotsGetLongerOnceTheChainIsSeen() {
    run(clock, 300_000, DELAY, 4, 60 * DELAY, 2 * DELAY);
    assertThat(clock.lengthMicros()).isEqualTo(32_000);
    run(clock, 500_000, DELAY, 4, 60 * DELAY, 2 * DELAY);
    assertThat(clock.lengthMicros()).isEqualTo(64_000);
  }

  @Test
  void shortChainsGetShortSlots() {
    chains(4_000_000, 14 * DELAY);
    assertThat(clock.lengthMicros()).isEqualTo(32_000);
  }

  /** Long slots shorten the waits. They are no longer needed only when nobody waits any more. */
  @Test
  void longSlotsStayWhenChainsGetShorter() {
    chains(2_000_000, 40 * DELAY);
    chains(4_000_000, 8 * DELAY);
    assertThat(clock.lengthMicros()).isEqualTo(64_000);
    chains(4_000_000, 3 * DELAY);
    assertThat(clock.lengthMicros()).isZero();
  }

  @Test
  void longSlotsThatCostTooManyCommitsAreGivenUpForAWhile() {
    chains(2_000_000, 40 * DELAY);
    lostOneIn = 3;
    chains(3_000_000, 20 * DELAY);
    assertThat(clock.lengthMicros()).isEqualTo(32_000);
    lostOneIn = 20;
    chains(4_000_000, 40 * DELAY);
    assertThat(clock.lengthMicros()).isEqualTo(32_000);
    chains(6_000_000, 40 * DELAY);
    assertThat(clock.lengthMicros()).as("tried again").isEqualTo(64_000);
    lostOneIn = 10;
    chains(4_000_000, 40 * DELAY);
    assertThat(clock.lengthMicros()).as("a few are lost").isEqualTo(64_000);
  }

  @Test
  void theLengthStaysWhileTheDelayChangesALittle() {
    run(clock, 2_000_000, 22_000, 2, 900_000, 44_000);
    assertThat(clock.lengthMicros()).isEqualTo(64_000);
    for (int i = 0; i < 20; i++) {
      run(clock, 100_000, i % 2 == 0 ? 24_000 : 20_000, 2, 900_000, 44_000);
      assertThat(clock.lengthMicros()).isEqualTo(64_000);
    }
  }

  @Test
  void givesUpSlotsWhenTransactionsNoLongerContend() {
    chains(3_000_000, 350_000);
    run(clock, 3_000_000, DELAY, 10, 300_000, 2 * DELAY);
    assertThat(clock.lengthMicros()).as("contention within a region remains").isPositive();
    run(clock, 2_000_000, DELAY, 0, 0, 2 * DELAY);
    assertThat(clock.lengthMicros()).isZero();
  }

  @Test
  void givesUpSlotsThatMakeTransactionsContendButDoNotQueue() {
    chains(3_000_000, 350_000);
    chains(4_000_000, 2 * DELAY);
    assertThat(clock.lengthMicros()).isZero();
  }

  /** Nobody knows that an attempt contends before it has lost its conflict. */
  @Test
  void attemptsThatLoseAConflictCount() {
    for (int i = 0; i < 400; i++) {
      now += 10_000;
      clock.read(now, DELAY, 0);
      clock.contention().began();
      if (i >= 30) {
        clock.contention().ended(false, false, true, 300_000);
      }
    }
    assertThat(clock.lengthMicros()).isPositive();
  }

  @Test
  void usesNoSlotsWhileItDoesNotKnowTheDelay() {
    run(clock, 1_000_000, 0, 1, 900_000, 0);
    assertThat(clock.lengthMicros()).isZero();
  }

  @Test
  void followsTheDelay() {
    chains(3_000_000, 900_000);
    run(clock, 3_000_000, DELAY / 8, 2, 900_000, 2 * DELAY);
    assertThat(clock.lengthMicros()).isEqualTo(8_000);
  }

  /** A peer may answer late on purpose, and a clock may be set to any time. */
  @Test
  void wrongDelaysAndClocksStayWithinBounds() {
    long hour = 3_600_000_000L;
    for (long delay : new long[] {Long.MAX_VALUE, -1, Long.MIN_VALUE, hour}) {
      run(clock, 2_000_000, delay, 2, 900_000, 2 * DELAY);
      assertThat(clock.lengthMicros()).isBetween(0L, 1_000_000L);
      assertThat(Math.abs(clock.read(now, delay, 0) - now)).isLessThanOrEqualTo(2_000_000);
    }
    chains(3_000_000, 350_000);
    long before = clock.lengthMicros();
    now += hour;
    assertThat(Math.abs(clock.read(now, DELAY, 0) - now)).isLessThanOrEqualTo(before);
    now -= 2 * hour;
    clock.read(now, DELAY, 0);
    assertThat(clock.lengthMicros()).as("a leap is no time").isEqualTo(before);
    now += hour;
    open.forEach(attempt -> clock.contention().ended(attempt.contended, false, false, 0));
    open.clear();
    run(clock, 3_000_000, DELAY, 0, 0, 2 * DELAY);
    assertThat(clock.lengthMicros()).as("the state has survived the leaps").isZero();
  }

  /** Slots of different lengths cost more than none. */
  @Test
  void followsTheLongestSlotsOfOthersWhileItsTransactionsContend() {
    run(clock, 2_000_000, DELAY, 0, 0, 2 * DELAY);
    clock.read(now + 100_000, DELAY, 256_000);
    assertThat(clock.lengthMicros()).as("nobody contends").isZero();
    chains(4_000_000, 14 * DELAY);
    assertThat(clock.lengthMicros()).isEqualTo(32_000);
    int before = clock.lengthenings();
    clock.read(now + 100_000, DELAY, 256_000);
    assertThat(clock.lengthMicros()).isEqualTo(256_000);
    assertThat(clock.wantedMicros()).as("it tells no echo").isEqualTo(32_000);
    assertThat(clock.lengthenings()).isEqualTo(before + 1);
    clock.read(now + 200_000, DELAY, 1_000);
    assertThat(clock.lengthMicros()).isEqualTo(32_000);
    assertThat(clock.lengthenings()).isEqualTo(before + 1);
  }

  /** No two regions are farther from each other than twice as far as from this one. */
  @Test
  void lengthsThatOthersCannotWantDoNotCount() {
    chains(4_000_000, 14 * DELAY);
    for (long said : new long[] {Long.MAX_VALUE, 1_000_000, 400_000}) {
      clock.read(now += 100_000, DELAY, said);
      assertThat(clock.lengthMicros()).isEqualTo(256_000);
    }
    for (long said : new long[] {Long.MIN_VALUE, -1, 0, 999}) {
      clock.read(now += 100_000, DELAY, said);
      assertThat(clock.lengthMicros()).isEqualTo(32_000);
    }
  }

  /**
   * What one engine sees is too little over long distances, and another one may decide otherwise.
   */
  @Test
  void enginesOfAClientShareIt() {
    Session session = new Session();
    SlotClock first = session.clock(slots(0, false));
    assertThat(session.clock(slots(0, false))).isSameAs(first);
    assertThat(session.clock(new RegionSlots(1, 3, 0, 300_000, false))).isNotSameAs(first);
  }

  @Test
  void aGivenLengthIsUsedWhateverHappens() {
    SlotClock given = new SlotClock(slots(5_000, false));
    run(given, 1_000_000, DELAY, 0, 0, 100);
    assertThat(given.lengthMicros()).isEqualTo(5_000);
    assertThat(given.read(now, DELAY, 0)).isNotEqualTo(now);
    assertThat(new SlotClock(RegionSlots.NONE).read(now, DELAY, 0)).isEqualTo(now);
  }
}
