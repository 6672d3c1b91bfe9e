package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.txn;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.table.ByteCursor;
import org.mortydb.protocol.table.RowStore;

/** The registered reads of a key against a plain list of all of them. */
class RegisteredReadsTest {
  private record Read(TxnId reader, int execution, TxnId version, TxnId upTo) {}

  private final List<Read> model = new ArrayList<>();
  private RegisteredReads reads = new RegisteredReads();

  private void add(long reader, int execution, TxnId version) {
    add(reader, execution, version, txn(reader));
  }

  private void add(long reader, int execution, TxnId version, TxnId upTo) {
    reads.add(txn(reader), execution, version, upTo);
    Read read = new Read(txn(reader), execution, version, upTo);
    if (!model.contains(read)) {
      model.add(read);
    }
  }

  private void takeBack(long reader, int execution) {
    reads.takeBack(txn(reader), execution);
    model.removeIf(read -> read.reader.equals(txn(reader)) && read.execution <= execution);
  }

  private boolean isReadPast(TxnId writer, boolean absent) {
    return model.stream()
        .anyMatch(
            read ->
                read.version.equals(TxnId.INITIAL) == absent
                    && read.version.isBefore(writer)
                    && read.upTo.isAfter(writer));
  }

  private void assertLikeModel(int range) {
    for (int t = 1; t < range; t++) {
      assertThat(reads.isReadPast(txn(t))).isEqualTo(isReadPast(txn(t), false));
      assertThat(reads.isReadAsAbsentPast(txn(t))).isEqualTo(isReadPast(txn(t), true));
    }
  }

  private static RegisteredReads rested(RegisteredReads reads) {
    ByteCursor content = new ByteCursor();
    int most = RegisteredReads.mostBytes(reads);
    RegisteredReads.save(reads, content);
    assertThat(content.at()).isLessThanOrEqualTo(most);
    RowStore store = new RowStore(RowStore.LEAST_PAGE_BYTES);
    int row = store.add(content);
    ByteCursor from = store.read(row);
    RegisteredReads loaded = RegisteredReads.load(from, new SavedRow(store, row, from.at()));
    return loaded == null ? new RegisteredReads() : loaded;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void countsWhatWasNotTakenBack(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 40; round++) {
      reads = new RegisteredReads();
      model.clear();
      int range = 10 + random.nextInt(60);
      for (int i = 0; i < 60; i++) {
        long reader = 2L + random.nextInt(range);
        if (random.nextInt(3) == 0) {
          takeBack(reader, random.nextInt(3));
        } else {
          long version = random.nextInt((int) reader);
          long upTo = random.nextBoolean() ? reader : random.nextLong(version + 1, reader + 1);
          TxnId of = version == 0 ? TxnId.INITIAL : txn(version);
          add(reader, random.nextInt(3), of, txn(upTo));
        }
        if (random.nextInt(20) == 0) {
          TxnId fence = txn(random.nextInt(range));
          reads.prune(fence);
          model.removeIf(read -> !read.upTo.isAfter(fence));
        }
      }
      assertLikeModel(range);
      reads = rested(reads);
      assertLikeModel(range);
    }
  }

  @Test
  void aReadThatWasInARowStays() {
    add(50, 0, txn(10));
    reads = rested(reads);
    reads.takeBack(txn(50), 0);
    assertThat(reads.isReadPast(txn(20))).isTrue();
    add(60, 0, txn(10));
    assertThat(reads.isReadPast(txn(55))).isTrue();
    takeBack(60, 0);
    assertThat(reads.isReadPast(txn(55))).isFalse();
  }

  @Test
  void aReadThatIsRegisteredTwiceIsTakenBackOnceAndForAll() {
    add(50, 0, txn(10));
    add(50, 0, txn(10));
    takeBack(50, 0);
    assertThat(reads.isEmpty()).isTrue();
  }

  /** A reader that comes late is one of the oldest all the same. */
  @Test
  void theLowestReaderLastsFirst() {
    for (int i = 0; i < RegisteredReads.MOST_RECENT; i++) {
      add(1_000 + i, 0, txn(10));
    }
    add(900, 0, txn(20));
    reads.takeBack(txn(900), 0);
    for (int i = 0; i < RegisteredReads.MOST_RECENT; i++) {
      takeBack(1_000 + i, 0);
    }
    assertLikeModel(1_300);
    assertThat(reads.isReadPast(txn(899))).isTrue();
  }

  /** What is kept one by one is bounded, and nothing is lost beyond the bound. */
  @Test
  void theOldestReadsLast() {
    for (int i = 0; i < 3 * RegisteredReads.MOST_RECENT; i++) {
      add(1_000 + i, 0, txn(10 + i % 3));
    }
    assertLikeModel(1_800);
    for (int i = 0; i < 3 * RegisteredReads.MOST_RECENT; i++) {
      reads.takeBack(txn(1_000 + i), 0);
    }
    long last = 1_000L + 2 * RegisteredReads.MOST_RECENT - 1;
    assertThat(reads.isReadPast(txn(last - 1))).isTrue();
    assertThat(reads.isReadPast(txn(last))).isFalse();
  }
}
