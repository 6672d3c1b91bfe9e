package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.mortydb.client.ReadLevel;
import org.mortydb.protocol.model.TxnId;

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
}
