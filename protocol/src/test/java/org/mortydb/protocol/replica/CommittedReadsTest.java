package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.txn;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.table.ByteCursor;
import org.mortydb.protocol.table.RowStore;

/** The committed reads of a key against a plain list of all of them. */
class CommittedReadsTest {

  private record CommittedRead(TxnId version, TxnId reader) {}

  @Test
  void keepsOneEntryForEachVersion() {
    CommittedReads reads = new CommittedReads();
    reads.add(txn(10), txn(12));
    reads.add(txn(10), txn(15));
    reads.add(txn(10), txn(11));
    reads.add(TxnId.INITIAL, txn(9));
    assertThat(reads.size()).isEqualTo(2);
    assertThat(reads.isReadPast(txn(14))).isTrue();
  }

  @Test
  void readerOfTheWritersOwnVersionDidNotReadPastIt() {
    CommittedReads reads = new CommittedReads();
    reads.add(txn(10), txn(12));
    assertThat(reads.isReadPast(txn(10))).isFalse();
  }

  @Test
  void readerThatIsTheWriterItselfDidNotReadPastIt() {
    CommittedReads reads = new CommittedReads();
    reads.add(txn(10), txn(12));
    assertThat(reads.isReadPast(txn(12))).isFalse();
    assertThat(reads.isReadPast(txn(11))).isTrue();
  }

  @Test
  void pruningDropsReadersAtOrBelowTheFence() {
    CommittedReads reads = new CommittedReads();
    reads.add(txn(10), txn(12));
    reads.add(txn(20), txn(22));
    reads.prune(txn(12));
    assertThat(reads.size()).isEqualTo(1);
    reads.prune(txn(21));
    assertThat(reads.isReadPast(txn(21))).isTrue();
    reads.prune(txn(22));
    assertThat(reads.size()).isZero();
  }

  /**
   * Histories as committed transactions make them: the versions are known, and every reader has
   * read the newest one below it, or the key as absent. In any order of arrival.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void findsAReaderPastAWriterExactlyWhenThereIsOne(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 60; round++) {
      int range = 2 + random.nextInt(80);
      TreeSet<TxnId> versions = new TreeSet<>();
      versions.add(TxnId.INITIAL);
      for (int i = random.nextInt(10); i > 0; i--) {
        versions.add(txn(1 + random.nextInt(range)));
      }
      CommittedReads reads = new CommittedReads();
      List<CommittedRead> model = new ArrayList<>();
      TxnId fence = TxnId.INITIAL;
      for (int step = 0; step < 60; step++) {
        TxnId reader = txn(1 + random.nextInt(range));
        // A read of a deletion may show the key as absent.
        TxnId version = random.nextInt(4) == 0 ? TxnId.INITIAL : versions.lower(reader);
        reads.add(version, reader);
        model.add(new CommittedRead(version, reader));
        if (random.nextInt(10) == 0) {
          TxnId newFence = txn(1 + random.nextInt(range));
          fence = newFence.isAfter(fence) ? newFence : fence;
          reads.prune(fence);
        } else if (random.nextInt(10) == 0) {
          TxnId floor = versions.floor(txn(random.nextInt(range)));
          if (floor != null && floor.isAfter(TxnId.INITIAL)) {
            reads.dropBelow(floor);
            fence = floor.isAfter(fence) ? floor : fence;
          }
        }
        if (random.nextInt(3) == 0) {
          reads = rested(reads);
        }
        for (int t = 1; t <= range; t++) {
          TxnId writer = txn(t);
          if (!versions.contains(writer) && writer.isAfter(fence)) {
            assertThat(reads.isReadPast(writer)).isEqualTo(isReadPast(model, writer, false));
            assertThat(reads.isReadAsAbsentPast(writer)).isEqualTo(isReadPast(model, writer, true));
          }
        }
      }
    }
  }

  private static CommittedReads rested(CommittedReads reads) {
    ByteCursor content = new ByteCursor();
    CommittedReads.save(reads, content);
    assertThat(content.at()).isLessThanOrEqualTo(CommittedReads.mostBytes(reads));
    RowStore store = new RowStore(RowStore.LEAST_PAGE_BYTES);
    int row = store.add(content);
    ByteCursor from = store.read(row);
    CommittedReads loaded = CommittedReads.load(from, new SavedRow(store, row, from.at()));
    return loaded == null ? new CommittedReads() : loaded;
  }

  /**
   * @param absent whether to look at those readers that have read the key as absent, or at others
   */
  private static boolean isReadPast(List<CommittedRead> model, TxnId writer, boolean absent) {
    return model.stream()
        .anyMatch(
            read ->
                read.version.equals(TxnId.INITIAL) == absent
                    && read.version.isBefore(writer)
                    && read.reader.isAfter(writer));
  }
}
