package org.mortydb.check.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.history.HistoryRecorder;
import org.mortydb.check.history.Status;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.system.Guarantee;

class VersionOrderCheckerTest {
  private static final TxnId T0 = new TxnId(100, 1, 0);
  private static final TxnId T1 = new TxnId(200, 1, 0);
  private static final TxnId T2 = new TxnId(300, 2, 0);
  private static final TxnId T3 = new TxnId(400, 3, 0);

  private final HistoryRecorder recorder = new HistoryRecorder();

  private void committed(TxnId at, List<VersionedValue> reads, String... writes) {
    List<Write> written =
        Stream.of(writes).map(key -> new Write(Key.of(key), 1, Value.of(key + at))).toList();
    recorder.record(
        recorder.size(),
        0,
        1,
        new Completion.Committed(at, at, 0, Completion.Path.FAST, reads, written));
  }

  private static VersionedValue read(String key, TxnId writer) {
    return new VersionedValue(Key.of(key), new WriteId(writer, 1), Value.of(key + writer), true);
  }

  private static VersionedValue initial(String key) {
    return new VersionedValue(Key.of(key), WriteId.INITIAL, Value.ABSENT, true);
  }

  private Verdict verdict() {
    return VersionOrderChecker.check(recorder.finish(), OutcomeSource.NONE);
  }

  private static void isSerializable(Verdict verdict) {
    for (Guarantee guarantee : Guarantee.values()) {
      assertThat(verdict.satisfies(guarantee)).as(verdict.toString()).isTrue();
    }
  }

  private static void breaksBoth(Verdict verdict, Kind... kinds) {
    for (Guarantee guarantee : Guarantee.values()) {
      assertThat(verdict.satisfies(guarantee)).as(verdict.toString()).isFalse();
    }
    assertThat(((Verdict.Violated) verdict).first().stream().map(Anomaly::kind)).contains(kinds);
  }

  @Test
  void readsFromOneSnapshotAreSerializable() {
    committed(T0, List.of(), "x", "y");
    committed(T1, List.of(read("x", T0)), "x");
    committed(T2, List.of(read("x", T1), read("y", T0)));
    isSerializable(verdict());
  }

  @Test
  void theSerialOrderNeedNotBeThatOfThePositions() {
    committed(T0, List.of(), "x");
    committed(T1, List.of(read("x", T0)), "x");
    committed(T2, List.of(read("x", T0)), "y"); // before T1
    isSerializable(verdict());
  }

  @Test
  void writeSkewIsPermittedUnderSnapshotIsolationAndHasItsName() {
    committed(T0, List.of(), "x", "y");
    committed(T1, List.of(read("x", T0), read("y", T0)), "x");
    committed(T2, List.of(read("x", T0), read("y", T0)), "y");
    Verdict verdict = verdict();
    assertThat(verdict.satisfies(Guarantee.SNAPSHOT_ISOLATION)).isTrue();
    assertThat(verdict.satisfies(Guarantee.SERIALIZABLE)).isFalse();
    assertThat(verdict.toString()).contains("G2-item, write skew", "which " + T2 + " replaced");
  }

  @Test
  void theAnomalyOfAReadOnlyTransactionIsWithinSnapshotIsolation() {
    committed(T0, List.of(), "x", "y");
    committed(T1, List.of(), "y");
    committed(T2, List.of(read("x", T0), read("y", T1)));
    committed(T3, List.of(read("x", T0), read("y", T0)), "x");
    Verdict verdict = verdict();
    assertThat(verdict.satisfies(Guarantee.SNAPSHOT_ISOLATION)).as(verdict.toString()).isTrue();
    assertThat(verdict.satisfies(Guarantee.SERIALIZABLE)).isFalse();
  }

  @Test
  void readSkewBreaksBoth() {
    committed(T0, List.of(), "x", "y");
    committed(T1, List.of(), "x", "y");
    committed(T2, List.of(read("x", T0), read("y", T1)));
    breaksBoth(verdict(), Kind.NO_SNAPSHOT, Kind.G_SINGLE);
  }

  @Test
  void longForkBreaksBoth() {
    committed(T0, List.of(), "x");
    committed(T1, List.of(), "y");
    committed(T2, List.of(read("x", T0), initial("y")));
    committed(T3, List.of(initial("x"), read("y", T1)));
    breaksBoth(verdict(), Kind.NO_SNAPSHOT);
  }

  @Test
  void lostUpdateBreaksBoth() {
    committed(T0, List.of(), "x");
    committed(T1, List.of(read("x", T0)), "x");
    committed(T2, List.of(read("x", T0)), "x");
    breaksBoth(verdict(), Kind.LOST_UPDATE, Kind.NO_SNAPSHOT);
  }

  @Test
  void aReadOfALaterCommitBreaksBoth() {
    committed(T2, List.of(), "x");
    committed(T1, List.of(read("x", T2)));
    breaksBoth(verdict(), Kind.NO_SNAPSHOT);
  }

  @Test
  void readsOfWhatDidNotCommitBreakBoth() {
    recorder.record(0, 0, 1, new Completion.Aborted(T0, Completion.AbortReason.CONFLICT));
    committed(T1, List.of(read("x", T0)));
    committed(T2, List.of(read("x", T1)));
    committed(T3, List.of(read("x", new TxnId(7, 7, 0))));
    breaksBoth(verdict(), Kind.ABORTED_READ, Kind.INTERMEDIATE_READ, Kind.UNKNOWN_WRITER);
  }

  @Test
  void aWrongValueBreaksBoth() {
    committed(T0, List.of(), "x");
    committed(
        T1,
        List.of(
            new VersionedValue(Key.of("x"), new WriteId(T0, 1), Value.of("other"), true),
            new VersionedValue(Key.of("y"), WriteId.INITIAL, Value.of("some"), true)));
    breaksBoth(verdict(), Kind.WRONG_VALUE);
  }

  @Test
  void twoTransactionsAtOnePositionBreakBoth() {
    committed(T0, List.of(), "x");
    committed(T0, List.of(), "y");
    breaksBoth(verdict(), Kind.DUPLICATE_ID);
  }

  @Test
  void unknownOutcomesProveNothingUnlessTheReplicasKnowThem() {
    List<Write> writes = List.of(new Write(Key.of("x"), 1, Value.of("x" + T0)));
    recorder.record(0, 0, 1, T0, Status.UNKNOWN, List.of(), writes);
    committed(T1, List.of(read("x", T0)));
    assertThat(VersionOrderChecker.check(recorder.finish(), OutcomeSource.NONE).isSerializable())
        .isTrue();
    Verdict told =
        VersionOrderChecker.check(recorder.finish(), txn -> java.util.Optional.of(Outcome.ABORT));
    breaksBoth(told, Kind.ABORTED_READ);
  }
}
