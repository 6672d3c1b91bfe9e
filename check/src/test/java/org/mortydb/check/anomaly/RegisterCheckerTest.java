package org.mortydb.check.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.history.HistoryRecorder;
import org.mortydb.check.history.Status;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Histories in short: {@code "rx1"} reads 1 from x, {@code "rx"} reads absent, {@code "wx2"}
 * writes.
 */
class RegisterCheckerTest {
  private final HistoryRecorder recorder = new HistoryRecorder();
  private int count;

  @Test
  void acceptsASerialHistory() {
    committed("rx", "wx1", "ry").committed("rx1", "wx2", "ry", "wy1").committed("rx2", "ry1");
    Verdict verdict = RegisterChecker.check(recorder.finish());
    assertThat(verdict.isSerializable()).as(verdict.toString()).isTrue();
    assertThat(verdict.coverage().readsChecked()).isEqualTo(6);
    assertThat(verdict.coverage().readsSkipped()).isZero();
  }

  @Test
  void knowsNothingOfTimestampsOrOfRealTime() {
    committed("rx1").committed("rx", "wx1");
    assertThat(RegisterChecker.check(recorder.finish()).isSerializable()).isTrue();
  }

  @Test
  void reportsLostUpdate() {
    committed("rx", "wx0").committed("rx0", "wx1").committed("rx0", "wx2");
    assertThat(assertFirst(Kind.LOST_UPDATE).explanation())
        .containsPattern("3.0@0 .*x = '0'.* 2.0@0");
  }

  @Test
  void reportsLostFirstUpdate() {
    committed("rx", "wx1").committed("rx", "wx2");
    assertFirst(Kind.LOST_UPDATE);
  }

  @Test
  void reportsAbortedRead() {
    add(Status.ABORTED, "rx", "wx1");
    committed("rx1");
    assertFirst(Kind.ABORTED_READ);
  }

  @Test
  void reportsReadOfAValueThatNobodyWrote() {
    committed("rx1");
    assertFirst(Kind.UNKNOWN_WRITER);
  }

  @Test
  void reportsUnrepeatableRead() {
    committed("rx", "wx1").committed("rx", "rx1");
    assertThat(kinds()).contains(Kind.INTERNAL);
  }

  @Test
  void reportsWriteCycle() {
    committed("rx", "wx0", "ry", "wy0")
        .committed("rx0", "wx1", "ry2", "wy1")
        .committed("rx1", "wx2", "ry0", "wy2");
    assertFirst(Kind.G0);
  }

  @Test
  void reportsCircularInformationFlow() {
    committed("wx1", "ry2").committed("wy2", "rx1");
    assertFirst(Kind.G1C);
  }

  @Test
  void reportsReadSkew() {
    committed("rx", "wx1", "ry", "wy2").committed("rx1", "ry");
    assertFirst(Kind.G_SINGLE);
  }

  @Test
  void reportsWriteSkew() {
    committed("rx", "ry", "wx1").committed("rx", "ry", "wy2");
    assertThat(assertFirst(Kind.G2_ITEM).explanation())
        .containsPattern("RW: 1.0@0 .*y = absent.* 2.0@0");
  }

  @Test
  void reportsLongForkOfBlindWrites() {
    committed("wx1").committed("wy2").committed("rx1", "ry").committed("rx", "ry2");
    assertFirst(Kind.G2_ITEM);
  }

  @Test
  void infersNothingFromValuesWrittenTwice() {
    committed("rx", "wx1").committed("wx1").committed("rx1");
    Verdict verdict = RegisterChecker.check(recorder.finish());
    assertThat(verdict.isSerializable()).isTrue();
    assertThat(verdict.coverage().readsSkipped()).isEqualTo(1);
  }

  @Test
  void infersNothingFromAbsenceOnceAKeyWasDeleted() {
    committed("rx", "wx1").committed("rx1", "wx").committed("rx");
    Verdict verdict = RegisterChecker.check(recorder.finish());
    assertThat(verdict.isSerializable()).isTrue();
    assertThat(verdict.coverage().readsSkipped()).isEqualTo(2);
  }

  @Test
  void allowsValuesOfTransactionsOfUnknownContent() {
    add(Status.UNKNOWN);
    committed("rx1").committed("rx");
    Verdict verdict = RegisterChecker.check(recorder.finish());
    assertThat(verdict.isSerializable()).isTrue();
    assertThat(verdict.coverage().readsSkipped()).isEqualTo(2);
  }

  @Test
  void takesAnUnknownTransactionForCommittedOnceItIsRead() {
    add(Status.UNKNOWN, "wx1", "wx1", "wy1", "wz1");
    committed("rx1", "ry").committed("ry1").committed("rx1", "rz");
    assertFirst(Kind.G_SINGLE);
  }

  @Test
  void doesNotTakeWritesOfUnknownTransactionsForCommittedThatNobodyRead() {
    add(Status.UNKNOWN, "wx1", "wy1");
    committed("rx1", "ry");
    assertThat(RegisterChecker.check(recorder.finish()).isSerializable()).isTrue();
  }

  @Test
  void reportsAValueThatNotEvenAnUnknownTransactionWrote() {
    add(Status.UNKNOWN, "wx1");
    committed("rx2");
    assertFirst(Kind.UNKNOWN_WRITER);
  }

  /** An end comes before every later begin, not only before those that follow at once. */
  @Test
  void realTimeReachesAcrossTransactionsThatOverlap() {
    during(1, 3, "rx", "wx1").during(2, 4, "ry", "wy1").during(5, 6, "rx");
    assertThat(RegisterChecker.check(recorder.finish()).isSerializable()).isTrue();
    assertThat(RegisterChecker.check(recorder.finish(), Order.REAL_TIME).isSerializable())
        .isFalse();
  }

  @Test
  void aBeginAtTheTimeOfAnEndOverlaps() {
    during(1, 5, "rx", "wx1").during(5, 6, "rx");
    assertThat(RegisterChecker.check(recorder.finish(), Order.REAL_TIME).isSerializable()).isTrue();
  }

  private RegisterCheckerTest during(long begin, long end, String... operations) {
    return add(begin, end, Status.COMMITTED, operations);
  }

  private RegisterCheckerTest committed(String... operations) {
    return add(Status.COMMITTED, operations);
  }

  private RegisterCheckerTest add(Status status, String... operations) {
    return add(count + 1, count + 1, status, operations);
  }

  private RegisterCheckerTest add(long begin, long end, Status status, String... operations) {
    count++;
    List<VersionedValue> reads = new ArrayList<>();
    List<Write> writes = new ArrayList<>();
    for (String operation : operations) {
      Key key = Key.of(operation.substring(1, 2));
      String text = operation.substring(2);
      Value value = text.isEmpty() ? Value.ABSENT : Value.of(text);
      if (operation.charAt(0) == 'r') {
        reads.add(new VersionedValue(key, WriteId.INITIAL, value, true));
      } else {
        writes.add(new Write(key, 1, value));
      }
    }
    recorder.record(0, begin, end, new TxnId(count, 0, 0), status, reads, writes);
    return this;
  }

  private Anomaly assertFirst(Kind kind) {
    assertThat(kinds()).first().isEqualTo(kind);
    return ((Verdict.Violated) RegisterChecker.check(recorder.finish())).first().getFirst();
  }

  private List<Kind> kinds() {
    Verdict verdict = RegisterChecker.check(recorder.finish());
    assertThat(verdict).isInstanceOf(Verdict.Violated.class);
    return ((Verdict.Violated) verdict).first().stream().map(Anomaly::kind).toList();
  }
}
