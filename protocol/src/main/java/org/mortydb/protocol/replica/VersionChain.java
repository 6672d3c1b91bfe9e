package org.mortydb.protocol.replica;

import java.util.Arrays;
import java.util.HashSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.table.ByteCursor;

/**
 * The versions of one key, in the order of their writers. Almost every chain is short, and almost
 * every access is near its end. So the chain is a sorted array, searched from the end first. For
 * the same reason, when a key wakes up, all versions but the newest stay in its row until somebody
 * needs them.
 */
final class VersionChain {
  private static final Version[] EMPTY = new Version[0];

  /** So often is a version looked for in the row before those in it become objects. */
  private static final int MOST_LOOKS = 3;

  /** The versions, but for those that are hidden. */
  private Version[] versions = EMPTY;

  /** The number of versions in the array. */
  private int size;

  /** The committed ones among them. */
  private int committed;

  /** How many older versions, all committed, are only in the row of the key. */
  private int hidden;

  private @Nullable SavedRow row;
  private int hiddenAt;
  private int hiddenBytes;
  private int looks;

  int size() {
    return hidden + size;
  }

  int committed() {
    return hidden + committed;
  }

  Version get(int index) {
    if (index < hidden) {
      reveal();
    }
    return versions[index - hidden];
  }

  /** The index of the newest version whose writer is below {@code txn}, or -1. */
  int indexBelow(TxnId txn) {
    int last = size - 1;
    if (last >= 0 && versions[last].writer().isBefore(txn)) {
      return hidden + last;
    }
    int high = Math.max(0, last); // versions[high] is not below txn
    int step = 1;
    while (step <= high && !versions[high - step].writer().isBefore(txn)) {
      high -= step;
      step *= 2; // most versions that are asked for are near the end, and a hot key has thousands
    }
    int low = Math.max(0, high - step + 1); // versions[low - 1] is below txn
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (versions[middle].writer().isBefore(txn)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0 && hidden > 0) {
      reveal();
      return indexBelow(txn);
    }
    return hidden + low - 1;
  }

  /** The newest version below {@code txn}, or null if there is none. */
  @Nullable Version newestBelow(TxnId txn) {
    int index = indexBelow(txn);
    return index < 0 ? null : get(index);
  }

  /**
   * The version that {@code writer} wrote, or null. One that is hidden may come as a copy, and a
   * change to a copy is lost. Hidden versions are committed, so their values change only by {@link
   * #fold(Version, Value)}, which takes the chain's own version.
   */
  @Nullable Version find(TxnId writer) {
    if (hidden > 0 && row != null && isHidden(writer) && ++looks <= MOST_LOOKS) {
      return findInRow(row, writer);
    }
    int index = indexOf(writer);
    return index < 0 ? null : get(index);
  }

  /** Whether a version that {@code writer} wrote can only be in the row. */
  private boolean isHidden(TxnId writer) {
    return size == 0 || versions[0].writer().isAfter(writer);
  }

  private @Nullable Version findInRow(SavedRow saved, TxnId writer) {
    ByteCursor from = saved.at(hiddenAt);
    for (int i = 0; i < hidden; i++) {
      int begin = from.at();
      if (Rows.skipsTxnEqual(writer, from)) {
        from.moveTo(begin);
        return Version.load(from, saved);
      }
      Version.skipsValue(from);
    }
    return null;
  }

  /** The index of the version that {@code writer} wrote, or -1. */
  private int indexOf(TxnId writer) {
    if (size > 0 && versions[size - 1].writer().equals(writer)) {
      return hidden + size - 1; // most often, and then the others may stay hidden
    }
    int index = indexBelow(writer) + 1;
    return index < size() && get(index).writer().equals(writer) ? index : -1;
  }

  /** Adds a version whose writer has no other one in the chain. */
  void insert(Version version) {
    int index = indexBelow(version.writer()) + 1 - hidden;
    if (size == versions.length) {
      versions = Arrays.copyOf(versions, size == 0 ? 1 : size + (size >> 1) + 1);
    }
    System.arraycopy(versions, index, versions, index + 1, size - index);
    versions[index] = version;
    size++;
    if (version.isCommitted()) {
      committed++;
    }
  }

  /** Marks a version of the chain as committed. */
  void commit(Version version) {
    if (!version.isCommitted()) {
      version.commit();
      committed++;
    }
  }

  /** Removes the version that {@code writer} wrote; false if there is none. */
  boolean remove(TxnId writer) {
    int index = indexOf(writer);
    if (index < 0) {
      return false;
    }
    removeAt(index - hidden);
    return true;
  }

  // ---- merges -------------------------------------------------------------------------------

  /**
   * The index of the base of a version: the version itself if it is no merge, or else the next one
   * below that is none; -1 if there is none, so that the base is absence.
   */
  int baseOf(int index) {
    int base = index;
    while (base >= 0 && get(base).isMerge()) {
      base--;
    }
    return base;
  }

  /**
   * The value at the place of a version: its own, or what the merges up to it make of their base.
   *
   * @param uncommitted whether versions that have not committed count
   */
  Value valueAt(int index, boolean uncommitted) {
    if (index < 0) {
      return Value.ABSENT;
    }
    if (!get(index).isMerge()) {
      return get(index).value();
    }
    int base = index;
    while (base >= 0 && (get(base).isMerge() || !(uncommitted || get(base).isCommitted()))) {
      base--;
    }
    Merge.Fold fold = new Merge.Fold(base < 0 ? Value.ABSENT : get(base).value());
    for (int i = base + 1; i <= index; i++) {
      Version version = get(i);
      if (uncommitted || version.isCommitted()) {
        fold.with(version.value());
      }
    }
    return fold.value();
  }

  /**
   * Folds a committed version: if it is a merge, it becomes the base of those above. To be called
   * only if nothing below it can commit any more.
   */
  void fold(int index) {
    if (index >= 0 && get(index).isMerge()) {
      get(index).fold(valueAt(index, false));
    }
  }

  /** Folds a committed merge, whose value is known. */
  void fold(Version version, Value made) {
    reveal();
    Version own = find(version.writer());
    if (own != null) {
      own.fold(made);
    }
  }

  /** Folds the committed versions below an index that stay. */
  private void foldBelow(int index, Predicate<TxnId> keeps) {
    for (int i = 0; i < index; i++) {
      if (get(i).isCommitted() && keeps.test(get(i).writer())) {
        fold(i);
      }
    }
  }

  // ---- pruning ------------------------------------------------------------------------------

  /**
   * Drops every committed version below the newest committed one that is at or below {@code
   * forgotten}. Those that stay are folded.
   *
   * @param forgotten executions of transactions at or below it are forgotten
   * @param keeps whether the version of a writer stays in any case
   * @return how many were dropped
   */
  int prune(TxnId forgotten, Predicate<TxnId> keeps) {
    int newest = newestCommittedUpTo(forgotten);
    if (newest > 0) {
      foldBelow(newest, keeps);
    }
    fold(newest);
    return dropCommittedBelow(newest, keeps);
  }

  /** The index of the newest committed version at or below {@code txn}, or -1. */
  int newestCommittedUpTo(TxnId txn) {
    int index = indexBelow(txn) + 1;
    if (index >= size() || !get(index).writer().equals(txn)) {
      index--;
    }
    while (index >= 0 && !get(index).isCommitted()) {
      index--;
    }
    return index;
  }

  /**
   * Drops the oldest committed versions if there are more than {@code limit}, until three quarters
   * of the limit are left: so a hot key does not pay for it at every commit. More are left if the
   * oldest of these is a merge, because its base stays.
   *
   * @param keeps whether the version of a writer stays in any case
   * @return the writer of the oldest committed version left, apart from those kept; the chain lacks
   *     versions for readers below it. Null if no version was dropped
   */
  @Nullable TxnId pruneTo(int limit, Predicate<TxnId> keeps) {
    if (committed() <= limit) {
      return null;
    }
    reveal();
    int excess = committed - Math.max(1, limit - limit / 4);
    int oldestKept = 0;
    for (int seen = 0; seen <= excess; oldestKept++) {
      if (versions[oldestKept].isCommitted()) {
        seen++;
      }
    }
    oldestKept--;
    while (oldestKept >= 0
        && (versions[oldestKept].isMerge() || !versions[oldestKept].isCommitted())) {
      oldestKept--;
    }
    if (oldestKept <= 0) {
      return null;
    }
    TxnId floor = versions[oldestKept].writer();
    dropCommittedBelow(oldestKept, withBases(oldestKept, keeps));
    return floor;
  }

  /**
   * The versions below an index that stay, and those that the values of merges among them are made
   * of: others may still commit in between, so none of them can be folded.
   */
  private Predicate<TxnId> withBases(int index, Predicate<TxnId> keeps) {
    HashSet<TxnId> bases = null;
    boolean needed = false;
    for (int i = index - 1; i >= 0; i--) {
      Version version = get(i);
      if (!version.isCommitted()) {
        continue;
      }
      boolean stays = keeps.test(version.writer());
      if (needed && !stays) {
        bases = bases == null ? new HashSet<>() : bases;
        bases.add(version.writer());
      }
      needed = (needed || stays) && version.isMerge();
    }
    HashSet<TxnId> found = bases;
    return found == null ? keeps : writer -> found.contains(writer) || keeps.test(writer);
  }

  /** Drops every committed version at or below {@code upTo}. */
  void eraseUpTo(TxnId upTo) {
    dropCommittedBelow(newestCommittedUpTo(upTo) + 1, writer -> false);
  }

  // ---- rows ---------------------------------------------------------------------------------

  /** An upper bound of what {@link #save} writes, in bytes. */
  int mostBytes() {
    long bytes = (long) Rows.COUNT_BYTES + Integer.BYTES + hiddenBytes;
    for (int i = 0; i < size; i++) {
      bytes += Rows.TXN_BYTES + 2 * Rows.COUNT_BYTES + versions[i].valueBytes();
    }
    return (int) Math.min(bytes, Integer.MAX_VALUE / 2);
  }

  /**
   * Writes the versions, which are all committed: their number, the bytes of all but the newest if
   * there are several, and the versions.
   */
  void save(ByteCursor to) {
    to.writeCount(size());
    int mark = size() > 1 ? to.beginLength() : 0;
    if (hidden > 0 && row != null) {
      row.at(hiddenAt).copy(hiddenBytes, to);
    }
    for (int i = 0; i < size; i++) {
      if (i == size - 1 && size() > 1) {
        to.endLength(mark);
      }
      versions[i].save(to);
    }
  }

  /** Reads what {@link #save} has written to an empty chain. Older versions stay in the row. */
  void load(ByteCursor from, SavedRow saved) {
    int count = from.readCount();
    if (count == 0) {
      return;
    }
    if (count > 1) {
      row = saved;
      hidden = count - 1;
      hiddenBytes = from.readInt();
      hiddenAt = saved.place(from);
      from.moveTo(from.at() + hiddenBytes);
    }
    versions = new Version[] {Version.load(from, saved)};
    size = 1;
    committed = 1;
  }

  /** Takes all versions from the row. */
  private void reveal() {
    SavedRow saved = row;
    if (hidden == 0 || saved == null) {
      return;
    }
    Version[] all = new Version[hidden + size];
    ByteCursor from = saved.at(hiddenAt);
    for (int i = 0; i < hidden; i++) {
      all[i] = Version.load(from, saved);
    }
    System.arraycopy(versions, 0, all, hidden, size);
    versions = all;
    size += hidden;
    committed += hidden;
    hidden = 0;
    hiddenBytes = 0;
    row = null;
  }

  /**
   * Copies what {@link #save} has written, as it would be after {@link #prune}.
   *
   * @return the number of versions left; 0 if there are none, or a deletion is among them
   */
  static int copyPruned(ByteCursor from, ByteCursor to, TxnId forgotten) {
    int count = from.readCount();
    if (count > 1) {
      from.readInt();
    }
    int dropped = 0;
    int begin = from.at(); // of the first version left
    int newest = begin;
    for (int i = 0; i < count; i++) {
      newest = from.at();
      if (!Rows.skipsTxnAfter(forgotten, from)) {
        dropped = i;
        begin = newest;
      }
      if (!Version.skipsValue(from)) {
        return 0;
      }
    }
    to.writeCount(count - dropped);
    if (count - dropped > 1) {
      to.writeInt(newest - begin);
    }
    to.writeBytes(from.bytes(), begin, from.at() - begin);
    return count - dropped;
  }

  private int dropCommittedBelow(int index, Predicate<TxnId> keeps) {
    if (index <= 0) {
      return 0;
    }
    reveal();
    int kept = 0;
    int dropped = 0;
    for (int i = 0; i < size; i++) {
      if (i < index && versions[i].isCommitted() && !keeps.test(versions[i].writer())) {
        dropped++;
      } else {
        versions[kept++] = versions[i];
      }
    }
    Arrays.fill(versions, kept, size, null);
    size = kept;
    committed -= dropped;
    if (size < versions.length >> 2) {
      versions = Arrays.copyOf(versions, size);
    }
    return dropped;
  }

  @SuppressWarnings("NullAway") // places past the size are empty
  private void removeAt(int index) {
    if (versions[index].isCommitted()) {
      committed--;
    }
    size--;
    System.arraycopy(versions, index + 1, versions, index, size - index);
    versions[size] = null;
  }
}
