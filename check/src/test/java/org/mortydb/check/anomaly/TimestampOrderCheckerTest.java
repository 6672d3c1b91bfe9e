package org.mortydb.check.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
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

class TimestampOrderCheckerTest {
  private static final TxnId T1 = new TxnId(1, 7, 0);
  private static final TxnId T2 = new TxnId(2, 7, 0);
  private static final TxnId T3 = new TxnId(3, 7, 0);

  private final HistoryRecorder recorder = new HistoryRecorder();

  @Test
  void acceptsReadsOfTheNewestWriteBelow() {
    committed(T3, List.of(read("x", new WriteId(T2, 1), "b"), initial("y")), List.of());
    committed(T1, List.of(initial("x")), List.of(write("x", 1, "a")));
    committed(T2, List.of(read("x", new WriteId(T1, 1), "a")), List.of(write("x", 1, "b")));
    Verdict verdict = TimestampOrderChecker.check(recorder.finish());
    assertThat(verdict.isSerializable()).as(verdict.toString()).isTrue();
    assertThat(verdict.coverage().readsChecked()).isEqualTo(4);
  }

  @Test
  void ordersEqualTimesByClient() {
    TxnId first = new TxnId(5, 1, 0);
    TxnId second = new TxnId(5, 2, 0);
    committed(second, List.of(initial("x")), List.of());
    committed(first, List.of(), List.of(write("x", 1, "a")));
    assertViolation(Kind.MISSED_WRITE);
  }

  @Test
  void reportsMissedWrite() {
    committed(T1, List.of(), List.of(write("x", 1, "a")));
    committed(T2, List.of(), List.of(write("x", 1, "b")));
    committed(T3, List.of(read("x", new WriteId(T1, 1), "a")), List.of());
    assertThat(assertViolation(Kind.MISSED_WRITE).toString())
        .contains("3.7@0", "x = 'a'", "'b'", "2.7@0/1");
  }

  @Test
  void reportsMissedFirstWrite() {
    committed(T1, List.of(), List.of(write("x", 1, "a")));
    committed(T2, List.of(initial("x")), List.of());
    assertViolation(Kind.MISSED_WRITE);
  }

  @Test
  void reportsAbortedRead() {
    recorder.record(0, 0, 1, new Completion.Aborted(T1, Completion.AbortReason.CONFLICT));
    committed(T2, List.of(read("x", new WriteId(T1, 1), "a")), List.of());
    assertViolation(Kind.ABORTED_READ);
  }

  @Test
  void reportsReadOfAVersionThatItsWriterReplaced() {
    committed(T1, List.of(), List.of(write("x", 2, "a2")));
    committed(T2, List.of(read("x", new WriteId(T1, 1), "a1")), List.of());
    assertViolation(Kind.INTERMEDIATE_READ);
  }

  @Test
  void reportsReadOfAWriteThatItsWriterTookBack() {
    committed(T1, List.of(), List.of(write("y", 1, "a")));
    committed(T2, List.of(read("x", new WriteId(T1, 1), "a")), List.of());
    assertViolation(Kind.INTERMEDIATE_READ);
  }

  @Test
  void reportsWrongValue() {
    committed(T1, List.of(), List.of(write("x", 1, "a")));
    committed(T2, List.of(read("x", new WriteId(T1, 1), "z")), List.of());
    assertViolation(Kind.WRONG_VALUE);
  }

  @Test
  void reportsInitialVersionWithValue() {
    committed(T1, List.of(read("x", WriteId.INITIAL, "a")), List.of());
    assertViolation(Kind.WRONG_VALUE);
  }

  @Test
  void reportsUnknownWriter() {
    committed(T2, List.of(read("x", new WriteId(T1, 1), "a")), List.of());
    assertViolation(Kind.UNKNOWN_WRITER);
  }

  @Test
  void reportsReadOfALaterWrite() {
    committed(T2, List.of(), List.of(write("x", 1, "a")));
    committed(T1, List.of(read("x", new WriteId(T2, 1), "a")), List.of());
    assertViolation(Kind.FUTURE_READ);
  }

  @Test
  void reportsDuplicateId() {
    committed(T1, List.of(), List.of());
    committed(T1, List.of(), List.of());
    assertViolation(Kind.DUPLICATE_ID);
  }

  @Test
  void takesAnUnknownTransactionForCommittedOnceItIsRead() {
    recorder.record(0, 0, 1, new Completion.Unknown(T1, List.of()));
    committed(T2, List.of(read("x", new WriteId(T1, 1), "a")), List.of());
    committed(T3, List.of(initial("x")), List.of());
    assertViolation(Kind.MISSED_WRITE);
  }

  @Test
  void doesNotTakeAnUnreadUnknownTransactionForCommitted() {
    recorder.record(0, 0, 1, T1, Status.UNKNOWN, List.of(), List.of(write("x", 1, "a")));
    committed(T2, List.of(initial("x")), List.of());
    assertThat(TimestampOrderChecker.check(recorder.finish()).isSerializable()).isTrue();
  }

  @Test
  void reportsTwoVersionsReadFromAnUnknownTransaction() {
    recorder.record(0, 0, 1, new Completion.Unknown(T1, List.of()));
    committed(T2, List.of(read("x", new WriteId(T1, 1), "a")), List.of());
    committed(T3, List.of(read("x", new WriteId(T1, 2), "b")), List.of());
    assertViolation(Kind.INTERMEDIATE_READ);
  }

  @Test
  void believesTheReplicasAboutUnknownTransactions() {
    recorder.record(0, 0, 1, new Completion.Unknown(T1, List.of()));
    committed(T2, List.of(read("x", new WriteId(T1, 1), "a")), List.of());
    Verdict verdict =
        TimestampOrderChecker.check(recorder.finish(), txn -> Optional.of(Outcome.ABORT));
    assertThat(verdict)
        .isInstanceOfSatisfying(
            Verdict.Violated.class,
            v -> assertThat(v.first().getFirst().kind()).isEqualTo(Kind.ABORTED_READ));
  }

  private Anomaly assertViolation(Kind kind) {
    Verdict verdict = TimestampOrderChecker.check(recorder.finish());
    assertThat(verdict).isInstanceOf(Verdict.Violated.class);
    List<Anomaly> first = ((Verdict.Violated) verdict).first();
    assertThat(first).extracting(Anomaly::kind).containsExactly(kind);
    return first.getFirst();
  }

  @Test
  void writersMayBeNamedByPositionOrById() {
    TxnId position = new TxnId(3, 99, 0);
    List<Write> writes = List.of(write("x", 1, "a"));
    recorder.record(
        0,
        0,
        1,
        new Completion.Committed(T1, position, 0, Completion.Path.FAST, List.of(), writes));
    committed(T2, List.of(initial("x")), List.of());
    committed(new TxnId(4, 7, 0), List.of(read("x", new WriteId(position, 1), "a")), List.of());
    committed(new TxnId(5, 7, 0), List.of(read("x", new WriteId(T1, 1), "a")), List.of());
    assertThat(TimestampOrderChecker.check(recorder.finish()).isSerializable()).isTrue();
  }

  private void committed(TxnId txn, List<VersionedValue> reads, List<Write> writes) {
    recorder.record(
        0, 0, 1, new Completion.Committed(txn, txn, 0, Completion.Path.FAST, reads, writes));
  }

  private static VersionedValue read(String key, WriteId version, String value) {
    return new VersionedValue(Key.of(key), version, Value.of(value), true);
  }

  private static VersionedValue initial(String key) {
    return new VersionedValue(Key.of(key), WriteId.INITIAL, Value.ABSENT, true);
  }

  private static Write write(String key, int valueId, String value) {
    return new Write(Key.of(key), valueId, Value.of(value));
  }
}
