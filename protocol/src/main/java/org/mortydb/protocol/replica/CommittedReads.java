package org.mortydb.protocol.replica;

import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.table.ByteCursor;

/**
 * The committed reads of one key, or the registered ones, for rule 6 (docs/protocol.md, section 3).
 * There is one entry for each committed version that has such readers: the version and its latest
 * reader, sorted by version. No transaction between the two may write the key any more.
 *
 * <p>Most uses concern the last entry. So when a key wakes up, the entries before it stay in its
 * row until somebody needs them.
 */
final class CommittedReads {
  private static final Entry[] EMPTY = new Entry[0];

  /** So often are the entries in the row looked at before they become objects. */
  private static final int MOST_LOOKS = 3;

  /**
   * A version that was read.
   *
   * @param latest the latest reader of this version and of all versions before it in the array;
   *     {@link TxnId#INITIAL} if all of them are absences
   */
  private record Entry(TxnId version, TxnId reader, TxnId latest) {
    /** Whether the key was read as absent. */
    boolean isAbsence() {
      return version.equals(TxnId.INITIAL);
    }
  }

  private Entry[] entries = EMPTY;

  /** How many entries there are in the array. */
  private int size;

  /** The entries before those in the array, which are only in the row of the key. */
  private @Nullable SavedRow row;

  private int hidden;
  private int hiddenAt;
  private int hiddenBytes;
  private int looks;

  int size() {
    return hidden + size;
  }

  /** Adds a committed reader of the version that {@code version} wrote. */
  void add(TxnId version, TxnId reader) {
    if (size > 0 && version.isBefore(entries[0].version)) {
      reveal();
    }
    int index = size - 1;
    while (index >= 0 && entries[index].version.isAfter(version)) {
      index--;
    }
    if (index >= 0 && entries[index].version.equals(version)) {
      if (entries[index].reader.isBefore(reader)) {
        set(index, version, reader);
      }
      return;
    }
    index++;
    if (size == entries.length) {
      entries = Arrays.copyOf(entries, size == 0 ? 1 : size + (size >> 1) + 1);
    }
    System.arraycopy(entries, index, entries, index + 1, size - index);
    size++;
    set(index, version, reader);
  }

  /** Sets an entry, and what the entries after it know of it. */
  private void set(int index, TxnId version, TxnId reader) {
    entries[index] = entry(index, version, reader);
    for (int i = index + 1; i < size && entries[i].latest.isBefore(entries[i - 1].latest); i++) {
      entries[i] = entry(i, entries[i].version, entries[i].reader);
    }
  }

  private Entry entry(int index, TxnId version, TxnId reader) {
    TxnId latest = index == 0 ? TxnId.INITIAL : entries[index - 1].latest;
    boolean isLater = !version.equals(TxnId.INITIAL) && reader.isAfter(latest);
    return new Entry(version, reader, isLater ? reader : latest);
  }

  /**
   * Whether a reader above {@code writer} has read a version below it; without those that have read
   * the key as absent. With honest clients the newest version below the writer would be enough. But
   * a client can claim to have read a version that does not exist, and that must not hide the
   * readers of the version before.
   */
  boolean isReadPast(TxnId writer) {
    int high = size; // entries[high] is not below the writer
    int step = 1;
    while (step <= high && !entries[high - step].version.isBefore(writer)) {
      high -= step;
      step *= 2; // most writers are near the end, and a hot key has thousands of entries
    }
    int low = Math.max(0, high - step + 1); // entries[low - 1] is below the writer
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (entries[middle].version.isBefore(writer)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return (low > 0 && entries[low - 1].latest.isAfter(writer)) || isReadPastInRow(writer);
  }

  private boolean isReadPastInRow(TxnId writer) {
    if (hidden == 0 || row == null) {
      return false;
    }
    if (++looks > MOST_LOOKS) {
      reveal();
      return isReadPast(writer);
    }
    ByteCursor from = row.at(hiddenAt);
    for (int i = 0; i < hidden; i++) {
      boolean below = Rows.skipsTxnBefore(writer, from);
      if (Rows.skipsTxnAfter(writer, from) && below) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a committed reader above {@code writer} has read the key as absent. The absence may
   * stand for a deletion at any place below the reader, so versions in between say nothing.
   */
  boolean isReadAsAbsentPast(TxnId writer) {
    if (hidden > 0 && row != null) {
      ByteCursor from = row.at(hiddenAt);
      return Rows.skipsInitial(from) && Rows.skipsTxnAfter(writer, from);
    }
    return size > 0 && entries[0].isAbsence() && entries[0].reader.isAfter(writer);
  }

  /** Drops the readers at or below {@code fence}: no writer below them gets a vote any more. */
  void prune(TxnId fence) {
    keepOnly(entry -> entry.reader.isAfter(fence));
  }

  /**
   * Drops the readers below {@code floor}: a writer below the floor is refused. Only reads of the
   * floor's version, of later versions, and of the key as absent have readers above the floor.
   */
  void dropBelow(TxnId floor) {
    keepOnly(entry -> entry.reader.isAfter(floor));
  }

  private void keepOnly(Predicate<Entry> keep) {
    reveal();
    int kept = 0;
    for (int i = 0; i < size; i++) {
      Entry entry = entries[i];
      if (keep.test(entry)) {
        entries[kept] = entry(kept, entry.version, entry.reader);
        kept++;
      }
    }
    if (kept < size) {
      size = kept;
      entries = kept == 0 ? EMPTY : Arrays.copyOf(entries, kept);
    }
  }

  // ---- rows ---------------------------------------------------------------------------------

  /** An upper bound of what {@link #save} writes, in bytes. */
  static int mostBytes(@Nullable CommittedReads reads) {
    return Rows.COUNT_BYTES
        + (reads == null ? 0 : Integer.BYTES + reads.hiddenBytes + 2 * reads.size * Rows.TXN_BYTES);
  }

  /**
   * Writes the reads of a key; null if it has none. The number of entries, the bytes of all but the
   * last if there are several, and the entries.
   */
  static void save(@Nullable CommittedReads reads, ByteCursor to) {
    if (reads == null || reads.size() == 0) {
      to.writeCount(0);
      return;
    }
    to.writeCount(reads.size());
    int mark = reads.size() > 1 ? to.beginLength() : 0;
    if (reads.hidden > 0 && reads.row != null) {
      reads.row.at(reads.hiddenAt).copy(reads.hiddenBytes, to);
    }
    for (int i = 0; i < reads.size; i++) {
      if (i == reads.size - 1 && reads.size() > 1) {
        to.endLength(mark);
      }
      Rows.writeTxn(reads.entries[i].version, to);
      Rows.writeTxn(reads.entries[i].reader, to);
    }
  }

  /**
   * Copies what {@link #save} has written, as it would be after {@link #prune}.
   *
   * @return whether any reads are left
   */
  static boolean copyPruned(ByteCursor from, ByteCursor to, TxnId fence) {
    int count = from.readCount();
    if (count > 1) {
      from.readInt();
    }
    int begin = from.at();
    int kept = 0;
    for (int i = 0; i < count; i++) {
      Rows.skipTxn(from);
      kept += Rows.skipsTxnAfter(fence, from) ? 1 : 0;
    }
    to.writeCount(kept);
    int mark = kept > 1 ? to.beginLength() : 0;
    from.moveTo(begin);
    int left = kept;
    for (int i = 0; i < count; i++) {
      int entry = from.at();
      Rows.skipTxn(from);
      if (Rows.skipsTxnAfter(fence, from)) {
        if (--left == 0 && kept > 1) {
          to.endLength(mark);
        }
        to.writeBytes(from.bytes(), entry, from.at() - entry);
      }
    }
    return kept > 0;
  }

  /** Reads what {@link #save} has written. All entries but the last stay in the row. */
  static @Nullable CommittedReads load(ByteCursor from, SavedRow row) {
    int count = from.readCount();
    if (count == 0) {
      return null;
    }
    CommittedReads reads = new CommittedReads();
    if (count > 1) {
      reads.row = row;
      reads.hidden = count - 1;
      reads.hiddenBytes = from.readInt();
      reads.hiddenAt = row.place(from);
      from.moveTo(from.at() + reads.hiddenBytes);
    }
    reads.add(Rows.readTxn(from), Rows.readTxn(from));
    return reads;
  }

  /** Takes all entries from the row. */
  private void reveal() {
    SavedRow from = row;
    if (hidden == 0 || from == null) {
      return;
    }
    Entry[] later = entries;
    int count = size;
    ByteCursor cursor = from.at(hiddenAt);
    entries = new Entry[hidden + count];
    size = 0;
    for (int i = 0; i < hidden; i++) {
      entries[size] = entry(size, Rows.readTxn(cursor), Rows.readTxn(cursor));
      size++;
    }
    for (int i = 0; i < count; i++) {
      entries[size] = entry(size, later[i].version, later[i].reader);
      size++;
    }
    row = null;
    hidden = 0;
    hiddenBytes = 0;
  }
}
