package org.mortydb.protocol.replica;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.table.ByteCursor;

/**
 * The committed reads of one key, or the registered ones, for rule 6 (docs/protocol.md, section 3).
 * There is one entry for each committed version that has such readers: the version and its latest
 * reader, sorted by version. No transaction between the two may write the key any more.
 */
final class CommittedReads {
  private static final TxnId[] EMPTY = new TxnId[0];

  // version at 2i, latest reader at 2i + 1
  private TxnId[] entries = EMPTY;
  private int size;

  int size() {
    return size;
  }

  /** Adds a committed reader of the version that {@code version} wrote. */
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
   * A reader above {@code writer} of a version below it, or null; without those that have read the
   * key as absent. With honest clients the newest version below the writer would be enough. But a
   * client can claim to have read a version that does not exist, and that must not hide the readers
   * of the version before.
   */
  @Nullable TxnId readerPast(TxnId writer) {
    for (int index = size - 1; index >= 0; index--) {
      TxnId reader = entries[2 * index + 1];
      if (!isAbsence(index) && entries[2 * index].isBefore(writer) && reader.isAfter(writer)) {
        return reader;
      }
    }
    return null;
  }

  /**
   * A committed reader above {@code writer} that has read the key as absent, or null. The absence
   * may stand for a deletion at any place below the reader, so versions in between say nothing.
   */
  @Nullable TxnId absenceReaderPast(TxnId writer) {
    boolean past = size > 0 && isAbsence(0) && entries[1].isAfter(writer);
    return past ? entries[1] : null;
  }

  private boolean isAbsence(int index) {
    return entries[2 * index].equals(TxnId.INITIAL);
  }

  /** Drops the readers at or below {@code fence}: no writer below them gets a vote any more. */
  void prune(TxnId fence) {
    keepOnly(i -> entries[2 * i + 1].isAfter(fence));
  }

  /**
   * Drops the readers below {@code floor}: a writer below the floor is refused. Only reads of the
   * floor's version, of later versions, and of the key as absent have readers above the floor.
   */
  void dropBelow(TxnId floor) {
    keepOnly(i -> entries[2 * i + 1].isAfter(floor));
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

  // ---- rows ---------------------------------------------------------------------------------

  /** An upper bound of what {@link #save} writes, in bytes. */
  static int mostBytes(@Nullable CommittedReads reads) {
    return Rows.COUNT_BYTES + (reads == null ? 0 : 2 * reads.size * Rows.TXN_BYTES);
  }

  /** Writes the reads of a key; null if it has none. */
  static void save(@Nullable CommittedReads reads, ByteCursor to) {
    int count = reads == null ? 0 : reads.size;
    to.writeCount(count);
    for (int i = 0; reads != null && i < 2 * count; i++) {
      Rows.writeTxn(reads.entries[i], to);
    }
  }

  /**
   * Copies what {@link #save} has written, as it would be after {@link #prune}.
   *
   * @return whether any reads are left
   */
  static boolean copyPruned(ByteCursor from, ByteCursor to, TxnId fence) {
    int count = from.readCount();
    int begin = from.at();
    int kept = 0;
    for (int i = 0; i < count; i++) {
      Rows.skipTxn(from);
      kept += Rows.skipsTxnAfter(fence, from) ? 1 : 0;
    }
    to.writeCount(kept);
    from.moveTo(begin);
    for (int i = 0; i < count; i++) {
      int entry = from.at();
      Rows.skipTxn(from);
      if (Rows.skipsTxnAfter(fence, from)) {
        to.writeBytes(from.bytes(), entry, from.at() - entry);
      }
    }
    return kept > 0;
  }

  /** Reads what {@link #save} has written. */
  static @Nullable CommittedReads load(ByteCursor from) {
    int count = from.readCount();
    if (count == 0) {
      return null;
    }
    CommittedReads reads = new CommittedReads();
    reads.size = count;
    reads.entries = new TxnId[2 * count];
    for (int i = 0; i < 2 * count; i++) {
      reads.entries[i] = Rows.readTxn(from);
    }
    return reads;
  }
}
