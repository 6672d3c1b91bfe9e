package org.mortydb.baselines.tapir;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.baselines.tapir.PrepareTally.Standing;

class PrepareTallyTest {

  @ParameterizedTest
  @CsvSource({"1, 3", "2, 4", "3, 6", "4, 7"})
  void theFastQuorumIsThreeHalvesOfFRoundedUpAndOne(int f, int quorum) {
    assertThat(PrepareTally.fastQuorum(f)).isEqualTo(quorum);
  }

  /** Results by letter: O for OK, X for ABORT, A for ABSTAIN, R for RETRY. */
  @ParameterizedTest
  @CsvSource({
    "1, '', OPEN, OPEN",
    "1, O, OPEN, OPEN",
    "1, OO, OPEN, SLOW_OK",
    "1, OOO, FAST_OK, FAST_OK",
    "1, OOA, SLOW_OK, SLOW_OK",
    "1, OOR, SLOW_OK, SLOW_OK",
    "1, X, ABORT, ABORT",
    "1, OOX, ABORT, ABORT",
    "1, A, OPEN, OPEN",
    "1, OA, OPEN, ABORT",
    "1, OR, OPEN, RETRY",
    "1, AA, ABORT, ABORT",
    "1, AR, RETRY, RETRY",
    "1, RR, RETRY, RETRY",
    "1, AAR, ABORT, ABORT",
    "1, OAR, RETRY, RETRY",
    "2, OOO, OPEN, SLOW_OK",
    "2, OOOO, FAST_OK, FAST_OK",
    "2, OOOA, OPEN, SLOW_OK",
    "2, OOOAA, SLOW_OK, SLOW_OK",
    "2, OOAA, OPEN, ABORT",
    "2, OOAAR, RETRY, RETRY",
    "2, AAA, ABORT, ABORT",
  })
  void standsAsItsResultsSay(int f, String results, Standing standing, Standing whenLate) {
    PrepareTally tally = tally(f, results);
    assertThat(tally.standing(false)).isEqualTo(standing);
    assertThat(tally.standing(true)).isEqualTo(whenLate);
  }

  @Test
  void aReplicaCountsOnce() {
    PrepareTally tally = new PrepareTally(1, 2);
    assertThat(tally.record(0, PrepareResult.OK)).isTrue();
    assertThat(tally.record(0, PrepareResult.OK)).isFalse();
    assertThat(tally.record(0, PrepareResult.ABORT)).isFalse();
    assertThat(tally.hasMajority()).isFalse();
    assertThat(tally.standing(true)).isEqualTo(Standing.OPEN);
  }

  @Test
  void theLatestRetryCounts() {
    PrepareTally tally = new PrepareTally(1, 2);
    tally.record(0, new PrepareResult.Retry(70));
    tally.record(1, new PrepareResult.Retry(90));
    tally.record(2, new PrepareResult.Retry(80));
    assertThat(tally.retryMicros()).isEqualTo(90);
  }

  @Test
  void aMajorityHasToConfirmWhatNoFastQuorumSaid() {
    PrepareTally tally = tally(1, "OOA");
    tally.confirm(2);
    tally.confirm(2);
    assertThat(tally.isPrepared()).isFalse();
    tally.confirm(0);
    assertThat(tally.isPrepared()).isTrue();
    assertThat(tally(1, "OOO").isPrepared()).isTrue();
  }

  private static PrepareTally tally(int f, String results) {
    PrepareTally tally = new PrepareTally(f, f + 1);
    for (int i = 0; i < results.length(); i++) {
      tally.record(
          i,
          switch (results.charAt(i)) {
            case 'O' -> PrepareResult.OK;
            case 'X' -> PrepareResult.ABORT;
            case 'A' -> PrepareResult.ABSTAIN;
            default -> new PrepareResult.Retry(50);
          });
    }
    return tally;
  }
}
