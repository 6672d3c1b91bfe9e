package org.mortydb.protocol.replica;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;

/**
 * The committed reads of one key, as rule 6 needs them: for each version that was read, its latest
 * committed reader. One entry per version that has committed readers, sorted by version; the
 * entries are the intervals in which nobody may write any more.
 */
final class CommittedReads {
  private static final TxnId[] EMPTY = new TxnId[0];

  // version at 2i, latest reader at 2i + 1
  private TxnId[] entries = EMPTY;
  private int size;

  int size() {
    return size;
  }

  /** Records that {@code reader}, now committed, read the version of {@code version}. */
  void add(TxnId version, TxnId reader) {
    int index = size - 1;
    while (index >= 0 && entries[2 * index].isAfter(version)) {
      index--;
    }
    if (index >= 0 && entries[2 * index].equals(version)) {
      if (entries[2 * index + 1].isBefore(reader)) {
        entries[2 * index + 1] = reader;
      }
      return;
    }
    index++;
    if (2 * size == entries.length) {
      entries = Arrays.copyOf(entries, size == 0 ? 2 : 2 * (size + (size >> 1) + 1));
    }
    System.arraycopy(entries, 2 * index, entries, 2 * index + 2, 2 * (size - index));
    entries[2 * index] = version;
    entries[2 * index + 1] = reader;
    size++;
  }

  /**
   * A committed reader above {@code writer} of a version below it, or null. Only the newest version
   * below the writer has to be looked at: committed transactions never missed a committed write, so
   * the readers of an older version are all below that newer one.
   */
  @Nullable TxnId readerPast(TxnId writer) {
    int index = size - 1;
    while (index >= 0 && !entries[2 * index].isBefore(writer)) {
      index--;
    }
    if (index < 0) {
      return null;
    }
    TxnId reader = entries[2 * index + 1];
    return reader.isAfter(writer) ? reader : null;
  }

  /** Drops what only concerns writers at or below {@code fence}, who may not commit any more. */
  void prune(TxnId fence) {
    keepOnly(i -> entries[2 * i + 1].isAfter(fence));
  }

  /**
   * Drops the reads of versions below {@code floor}, which is committed: a writer above the floor
   * is above all of their readers too, and one below it is refused.
   */
  void dropBelow(TxnId floor) {
    keepOnly(i -> !entries[2 * i].isBefore(floor));
  }

  private void keepOnly(IntPredicate keep) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (keep.test(i)) {
        entries[2 * kept] = entries[2 * i];
        entries[2 * kept + 1] = entries[2 * i + 1];
        kept++;
      }
    }
    if (kept < size) {
      size = kept;
      entries = kept == 0 ? EMPTY : Arrays.copyOf(entries, 2 * kept);
    }
  }
}
