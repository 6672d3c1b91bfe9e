package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.mortydb.client.ClientSession;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.SessionGuarantee;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.system.Morty;

/** Section 15, The past, rule 4. */
class PastLimitsTest {
  private static final long LAG = 1_000_000;
  private static final long CUT = 50_000_000;
  private static final PastLimits LIMITS = new PastLimits(LAG, 20_000_000, 500_000);

  @Test
  void theNewestPlaceIsTooSoonUntilTheWatermarkCanBeAboveTheCut() {
    ReadLevel bounded = new ReadLevel.Bounded(2 * LAG);
    assertThat(LIMITS.isTooSoon(bounded, CUT, CUT + LAG - 1)).isTrue();
    assertThat(LIMITS.isTooSoon(bounded, CUT, CUT + LAG)).isFalse();
    assertThat(LIMITS.isTooSoon(new ReadLevel.Snapshot(null), CUT, CUT + LAG - 1)).isTrue();
  }

  @Test
  void aGivenPlaceIsNeverTooSoon() {
    ReadLevel given = new ReadLevel.Snapshot(new TxnId(CUT - 1, 1, 0));
    assertThat(LIMITS.isTooSoon(given, CUT, CUT + 1)).isFalse();
  }

  @Test
  void nothingIsTooSoonIfTheLagIsNotKnown() {
    ReadLevel bounded = new ReadLevel.Bounded(2 * LAG);
    assertThat(PastLimits.UNKNOWN.isTooSoon(bounded, CUT, CUT + 1)).isFalse();
  }

  private static final long NOW = 100_000_000;

  private static void check(TransactionOptions options) {
    LIMITS.check(options, Morty.SYSTEM, 0, NOW);
  }

  private static TransactionOptions reading(ReadLevel level) {
    return TransactionOptions.DEFAULTS.forReading(level);
  }

  private static ReadLevel at(long micros) {
    return new ReadLevel.Snapshot(new TxnId(micros, 1, 0));
  }

  /** Clocks may differ by the allowed skew, in either direction. */
  @Test
  void aPlaceIsFromWhatReplicasMayStillHaveToWhatTheirClocksMayHaveReached() {
    long oldest = NOW - 20_000_000 - 500_000;
    long newest = NOW + 500_000;
    check(reading(at(oldest)));
    check(reading(at(newest)));
    assertThatThrownBy(() -> check(reading(at(oldest - 1)))).hasMessageContaining("replicas keep");
    assertThatThrownBy(() -> check(reading(at(newest + 1)))).hasMessageContaining("in the future");
  }

  @Test
  void aBoundedReadAsksForMoreThanTheLag() {
    check(reading(new ReadLevel.Bounded(LAG + 1)));
    assertThatThrownBy(() -> check(reading(new ReadLevel.Bounded(LAG))))
        .hasMessageContaining("younger state");
  }

  @Test
  void aSessionIsNotInTheFutureAndItsReadsNotBelowIt() {
    ClientSession session = new ClientSession(SessionGuarantee.MONOTONIC_READS);
    session.advanceTo(new TxnId(NOW + 500_000, 1, 0));
    check(TransactionOptions.DEFAULTS.inSession(session));
    check(reading(at(NOW + 500_000)).inSession(session));
    assertThatThrownBy(() -> check(reading(at(NOW + 499_999)).inSession(session)))
        .hasMessageContaining("is before the place");
    session.advanceTo(new TxnId(NOW + 500_001, 1, 0));
    assertThatThrownBy(() -> check(TransactionOptions.DEFAULTS.inSession(session)))
        .hasMessageContaining("in the future");
  }

  /** The watermark has not reached what the session has seen. */
  @Test
  void votesAreNeededAboveTheWatermark() {
    ClientSession session = new ClientSession(SessionGuarantee.MONOTONIC_READS);
    session.advanceTo(new TxnId(NOW - LAG, 1, 0));
    assertThat(LIMITS.needsVotes(new ReadLevel.Bounded(2 * LAG), session, NOW)).isFalse();
    session.advanceTo(new TxnId(NOW - LAG + 1, 1, 0));
    assertThat(LIMITS.needsVotes(new ReadLevel.Bounded(2 * LAG), session, NOW)).isTrue();
    assertThat(LIMITS.needsVotes(ReadLevel.LOCAL, session, NOW)).isTrue();
    assertThat(LIMITS.needsVotes(at(NOW), session, NOW)).isFalse();
    assertThat(PastLimits.UNKNOWN.needsVotes(ReadLevel.LOCAL, session, NOW)).isFalse();
  }
}
