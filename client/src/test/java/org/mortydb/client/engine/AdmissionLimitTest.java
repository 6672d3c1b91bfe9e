package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** docs/protocol.md, section 13. */
class AdmissionLimitTest {
  private static final int MOST = 10_000;

  /** The latency of a commit without contention. */
  private static final long UNLOADED = 2_000;

  private static final long DELAY = 1_000;

  private final AdmissionLimit limit = new AdmissionLimit(Admission.AUTO, MOST);

  private long now = 1_795_000_000_000_000L;

  /** How latency follows the number of transactions in flight. */
  @FunctionalInterface
  private interface Curve {
    long micros(int inFlight);
  }

  /**
   * A hot key that so many transactions at a time keep busy: more of them wait. One in three does
   * not use the key.
   */
  private static Curve chain(int enough) {
    return inFlight -> Math.max(UNLOADED, UNLOADED * inFlight / enough);
  }

  private void run(AdmissionLimit of, int attempts, int clients, Curve curve, long delayMicros) {
    for (int i = 0; i < attempts; i++) {
      int inFlight = Math.min(of.inForce(), clients);
      long latency = i % 3 == 0 ? UNLOADED : curve.micros(inFlight);
      of.ended(
          latency > UNLOADED,
          true,
          latency + 500,
          latency,
          inFlight,
          clients - inFlight,
          delayMicros,
          now += 100);
    }
  }

  private void run(int attempts, int clients, Curve curve) {
    run(limit, attempts, clients, curve, DELAY);
  }

  @Test
  void findsHowManyKeepTheChainBusy() {
    run(100_000, 400, chain(4));
    assertThat(limit.inForce()).as("enough, and not all").isBetween(50, 150);
    run(100_000, 1_600, chain(16));
    assertThat(limit.inForce()).isBetween(200, 600);
  }

  @Test
  void fallsWhenLatencyGrowsAndRecovers() {
    run(100_000, 5_000, chain(16));
    int before = limit.inForce();
    run(50_000, 5_000, chain(2));
    int during = limit.inForce();
    assertThat(during).isLessThan(before / 3);
    run(50_000, 5_000, chain(16));
    assertThat(limit.inForce()).isBetween(before * 9 / 10, before * 11 / 10);
  }

  @Test
  void allEnginesOfAChainFallToOneIfTheyAreMany() {
    // A thousand engines, each with as many in flight as this one.
    run(20_000, 20, inFlight -> UNLOADED * inFlight * 1_000 / 4);
    assertThat(limit.inForce()).isEqualTo(1);
  }

  @Test
  void isNeverBelowOneWhateverAnEngineWithOneClientSees() {
    for (int i = 0; i < 5_000; i++) {
      limit.ended(true, i % 50 == 0, 5_000_000, 5_000_000, 1, 0, DELAY, now += 5_000_000);
      assertThat(limit.inForce()).isPositive();
    }
  }

  @Test
  void isNotInflatedByAnIdleEngine() {
    run(100_000, 5, inFlight -> UNLOADED);
    assertThat(limit.inForce()).isEqualTo(AdmissionLimit.FIRST);
    run(100_000, 40, inFlight -> UNLOADED);
    assertThat(limit.inForce()).isBetween(40, 80);
  }

  /** What an engine had in flight long ago says nothing about the chain that it meets now. */
  @Test
  void fallsFromWhatIsInFlightNow() {
    run(1_000, 500, inFlight -> UNLOADED);
    run(1_000, 5, inFlight -> UNLOADED);
    assertThat(limit.inForce()).isGreaterThanOrEqualTo(500);
    run(400, 5, inFlight -> 100 * UNLOADED);
    assertThat(limit.inForce()).isLessThanOrEqualTo(5);
  }

  @Test
  void opensInAFewRoundsWithoutContention() {
    run(1_000, 500, inFlight -> UNLOADED);
    assertThat(limit.inForce()).isGreaterThanOrEqualTo(500);
  }

  @Test
  void latencyWithoutContentionLimitsNothing() {
    for (int i = 0; i < 100_000; i++) {
      int inFlight = Math.min(limit.inForce(), 2_000);
      long busy = UNLOADED * Math.max(1, inFlight / 10);
      limit.ended(
          i % 3 == 0,
          true,
          i % 3 == 0 ? busy / 2 : busy,
          busy,
          inFlight,
          2_000 - inFlight,
          DELAY,
          now += 100);
    }
    assertThat(limit.inForce()).as("a busy processor").isGreaterThanOrEqualTo(2_000);
  }

  @Test
  void workOfTheApplicationDoesNotCount() {
    for (int i = 0; i < 200_000; i++) {
      int inFlight = Math.min(limit.inForce(), 500);
      boolean slow = i % 2 == 0;
      limit.ended(
          slow,
          true,
          slow ? 900_000 : UNLOADED,
          UNLOADED,
          inFlight,
          500 - inFlight,
          DELAY,
          now += 100);
    }
    assertThat(limit.inForce()).isGreaterThanOrEqualTo(500);
  }

  @Test
  void isGivenUpWhenLatencyDoesNotFollow() {
    run(10_000, 100, inFlight -> UNLOADED);
    int before = limit.inForce();
    int least = before;
    int opened = 0;
    for (int i = 0; i < 20_000; i++) {
      int inFlight = Math.min(limit.inForce(), 100);
      long latency = i % 3 == 0 ? UNLOADED : 80 * UNLOADED;
      limit.ended(true, true, latency, latency, inFlight, 100 - inFlight, 0, now += 100);
      least = Math.min(least, limit.inForce());
      opened += limit.inForce() >= 90 ? 1 : 0;
    }
    assertThat(least).as("it was tried").isLessThan(20);
    assertThat(opened).as("and did not help").isGreaterThan(8_000);
  }

  @Test
  void aChainThatWasThereFirstIsNotTakenForTheLatencyWithoutContention() {
    for (int i = 0; i < 50_000; i++) {
      int inFlight = Math.min(limit.inForce(), 1_000);
      long latency = UNLOADED * (20 + inFlight);
      limit.ended(true, true, latency, latency, inFlight, 1_000 - inFlight, DELAY, now += 100);
    }
    assertThat(limit.inForce()).as("latency is three round trips without").isLessThan(150);
  }

  @Test
  void learnsALatencyThatHasGrownForGood() {
    run(10_000, 100, inFlight -> UNLOADED);
    run(10_000, 100, inFlight -> 40 * UNLOADED);
    run(5_000, 100, inFlight -> UNLOADED);
    assertThat(limit.inForce()).isGreaterThanOrEqualTo(100);
  }

  @Test
  void aGivenLimitStays() {
    AdmissionLimit given = new AdmissionLimit(Admission.of(7), MOST);
    run(given, 10_000, 100, inFlight -> UNLOADED * inFlight, DELAY);
    assertThat(given.inForce()).isEqualTo(7);
    AdmissionLimit off = new AdmissionLimit(Admission.OFF, MOST);
    run(off, 10_000, 100, inFlight -> UNLOADED * inFlight, DELAY);
    assertThat(off.inForce()).isEqualTo(MOST);
    assertThat(new AdmissionLimit(Admission.of(20_000), MOST).inForce()).isEqualTo(MOST);
    assertThatThrownBy(() -> Admission.of(0)).hasMessageContaining("at least 1");
  }

  @Test
  void theSameAttemptsLeadToTheSameLimit() {
    AdmissionLimit twin = new AdmissionLimit(Admission.AUTO, MOST);
    run(limit, 30_000, 900, chain(3), DELAY);
    run(twin, 30_000, 900, chain(3), DELAY);
    assertThat(limit.inForce()).isEqualTo(twin.inForce());
  }
}
