package org.mortydb.telemetry.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;

class TraceSamplerTest {
  private static final int COUNT = 100_000;

  /** One transaction each microsecond, from alternating clients. */
  private static TxnId txn(int i) {
    return new TxnId(1_790_000_000_000_000L + i, i % 7, i % 3);
  }

  @Test
  void takesTheShareThatItIsTold() {
    for (double rate : new double[] {0.001, 0.01, 0.5, 0.999}) {
      TraceSampler sampler = new TraceSampler(rate);
      int taken = 0;
      for (int i = 0; i < COUNT; i++) {
        taken += sampler.isSampled(txn(i)) ? 1 : 0;
      }
      double deviation = Math.sqrt(COUNT * rate * (1 - rate));
      assertThat((double) taken)
          .isBetween(COUNT * rate - 5 * deviation, COUNT * rate + 5 * deviation);
    }
  }

  @Test
  void takesNoneAndAll() {
    TraceSampler none = new TraceSampler(0);
    TraceSampler all = new TraceSampler(1);
    for (int i = 0; i < COUNT; i++) {
      assertThat(none.isSampled(txn(i))).isFalse();
      assertThat(all.isSampled(txn(i))).isTrue();
    }
  }

  @Test
  void aLowerRateTakesAPartOfWhatAHigherOneTakes() {
    TraceSampler low = new TraceSampler(0.1);
    TraceSampler high = new TraceSampler(0.3);
    for (int i = 0; i < COUNT; i++) {
      assertThat(!low.isSampled(txn(i)) || high.isSampled(txn(i))).isTrue();
    }
  }

  @Test
  void refusesWhatIsNoShare() {
    for (double rate : new double[] {-0.1, 1.1, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new TraceSampler(rate))
          .withMessageContaining("0 to 1");
    }
  }

  @Test
  void noTwoTransactionsShareATrace() {
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < COUNT; i++) {
      assertThat(ids.add(TraceIds.traceId(txn(i)))).isTrue();
    }
    // Also for a single time, whatever the clients' ids are.
    for (long client = -1_000; client < 1_000; client++) {
      assertThat(ids.add(TraceIds.traceId(new TxnId(5, client, 0)))).isTrue();
    }
    assertThat(ids).allMatch(id -> id.matches("[0-9a-f]{32}"));
  }

  /** The home partition is not known yet when a trace begins. */
  @Test
  void theHomePartitionDoesNotCount() {
    assertThat(TraceIds.traceId(new TxnId(5, 6, 0)))
        .isEqualTo(TraceIds.traceId(new TxnId(5, 6, 3)));
  }

  @Test
  void noTwoSpansOfATransactionShareAName() {
    Set<String> ids = new HashSet<>();
    TxnId txn = txn(1);
    assertThat(ids.add(TraceIds.root(txn).spanIdString())).isTrue();
    assertThat(ids.add(TraceIds.finalization(txn).spanIdString())).isTrue();
    for (int a = 0; a < 40; a++) {
      assertThat(ids.add(TraceIds.execution(txn, a).spanIdString())).isTrue();
      assertThat(ids.add(TraceIds.prepare(txn, a).spanIdString())).isTrue();
      assertThat(ids.add(TraceIds.read(txn, a, 0).spanIdString())).isTrue();
      assertThat(ids.add(TraceIds.round(txn, a).spanIdString())).isTrue();
      for (int b = 0; b < 5; b++) {
        assertThat(ids.add(TraceIds.accept(txn, new ReplicaId(a, b)).spanIdString())).isTrue();
        assertThat(ids.add(TraceIds.recovery(txn, new View(a + 1, b)).spanIdString())).isTrue();
        for (int execution = 0; execution < 5; execution++) {
          ReplicaId replica = new ReplicaId(a, b);
          assertThat(ids.add(TraceIds.vote(txn, execution, replica).spanIdString())).isTrue();
        }
      }
    }
  }

  @Test
  void whoKnowsTheRequestAloneNamesTheSameRead() {
    TxnId txn = txn(1);
    assertThat(TraceIds.readAsParent(txn, 3).spanIdString())
        .isEqualTo(TraceIds.read(txn, 3, 2).spanIdString());
  }
}
