package org.mortydb.check.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.system.Guarantee;

/** Logged histories judged by the guarantees of systems. */
class CheckTest {
  private static final int X = 0;
  private static final int Y = 1;

  @TempDir Path folder;

  private final List<ObservedTransaction> history = new ArrayList<>();

  /** Adds a transaction; its number is its place in the order, its session and its value. */
  private void commit(int number, @Nullable ObservedRead reads, @Nullable ObservedWrite writes) {
    history.add(
        new ObservedTransaction(
            new TxnId(number * 10L, number, 0), true, number, 1, reads, writes));
  }

  private static ObservedRead read(@Nullable ObservedRead previous, int record, int writer) {
    return new ObservedRead(previous, record, writer, 1, writer);
  }

  private static ObservedWrite write(@Nullable ObservedWrite previous, int record, int value) {
    return new ObservedWrite(previous, record, value);
  }

  private Check check(Guarantee guarantee) throws IOException {
    HistoryLog log = new HistoryLog(folder.resolve(guarantee.name()));
    history.forEach(log::append);
    log.close();
    return Check.of(guarantee, List.of(log), 2, record -> "record " + record);
  }

  @Test
  void writeSkewIsAViolationOnlyWhereSerializabilityIsPromised() throws IOException {
    commit(1, null, write(write(null, X, 1), Y, 1));
    commit(2, read(read(null, X, 1), Y, 1), write(null, X, 2));
    commit(3, read(read(null, X, 1), Y, 1), write(null, Y, 3));
    Check permitted = check(Guarantee.SNAPSHOT_ISOLATION);
    assertThat(permitted.violations()).isZero();
    assertThat(permitted.isSerializable()).isNull();
    assertThat(permitted.text())
        .contains("promises snapshot isolation, which all 3 committed", "G2-item, write skew");
    for (Guarantee guarantee :
        List.of(Guarantee.SERIALIZABLE, Guarantee.SERIALIZABLE_BY_POSITION)) {
      Check broken = check(guarantee);
      assertThat(broken.violations()).isPositive();
      assertThat(broken.isSerializable()).isFalse();
      assertThat(broken.text()).contains("serializable: NO");
    }
  }

  @Test
  void lostUpdatesAreViolationsEverywhere() throws IOException {
    commit(1, null, write(null, X, 1));
    commit(2, read(null, X, 1), write(null, X, 2));
    commit(3, read(null, X, 1), write(null, X, 3));
    for (Guarantee guarantee : Guarantee.values()) {
      assertThat(check(guarantee).isSerializable()).as(guarantee.toString()).isFalse();
    }
  }

  @Test
  void readsOfValuesThatNobodyLeftAreViolationsEverywhere() throws IOException {
    commit(1, null, write(null, X, 1));
    commit(2, read(null, X, 9), null);
    for (Guarantee guarantee : Guarantee.values()) {
      assertThat(check(guarantee).isSerializable()).as(guarantee.toString()).isFalse();
    }
  }

  @Test
  void ofSeveralWritesOfARecordTheLastOneIsLeft() throws IOException {
    commit(1, null, write(write(null, X, 7), X, 1));
    commit(2, read(null, X, 1), null);
    for (Guarantee guarantee : Guarantee.values()) {
      Check check = check(guarantee);
      assertThat(check.isSerializable()).as(check.text()).isTrue();
      assertThat(check.text()).startsWith("serializable: yes. All 2 committed");
    }
  }
}
