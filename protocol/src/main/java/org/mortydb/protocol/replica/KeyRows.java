package org.mortydb.protocol.replica;

import java.util.Arrays;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.table.ByteCursor;
import org.mortydb.protocol.table.RowStore;

/**
 * The keys of a replica as rows of bytes, by slot. A row has the name of its key, and the state
 * that the key had when it was {@linkplain #save saved}.
 */
final class KeyRows {
  private final RowStore store;
  private final ByteCursor scratch = new ByteCursor();

  private final KeyHash hash;

  /**
   * By slot, the time of the newest committed version that the row had when it was saved; not less
   * than that of the one that it has. The highest time if that is not known.
   */
  private long[] newestMicros = new long[16];

  KeyRows(int pageBytes, KeyHash hash) {
    store = new RowStore(pageBytes);
    this.hash = hash;
  }

  /** The number of slots; they count from 0. */
  int slots() {
    return store.rows();
  }

  boolean isFree(int slot) {
    return store.isFree(slot);
  }

  /** Adds a row for a key, which gets a slot. */
  void add(KeyState key) {
    writeName(key.key());
    key.place(store.add(scratch));
    int slot = key.slot();
    if (slot >= newestMicros.length) {
      newestMicros = Arrays.copyOf(newestMicros, Math.max(slot + 1, slot + slot / 2));
    }
    newestMicros[slot] = Long.MAX_VALUE;
  }

  /** Whether a row may have a version that was committed at or above a time. */
  boolean mayHaveSince(int slot, long micros) {
    return newestMicros[slot] >= micros;
  }

  void remove(int slot) {
    store.remove(slot);
  }

  /**
   * Saves the state of a key to its row.
   *
   * @return false if it is too long for a row
   */
  boolean save(KeyState key) {
    if (key.mostBytes() > RowStore.MAX_ROW_BYTES) {
      return false;
    }
    writeName(key.key());
    key.save(scratch);
    store.replace(key.slot(), scratch, !key.hasRested());
    newestMicros[key.slot()] = key.newestMicros();
    return true;
  }

  /** The state of a key as it was saved. */
  KeyState load(int slot) {
    ByteCursor row = store.read(slot);
    SavedRow saved = new SavedRow(store, slot, row.at());
    KeyState key = new KeyState(readName(row));
    key.place(slot);
    key.load(row, saved);
    return key;
  }

  /** See {@link RowStore#touch}. */
  void touch(int[] slots, int count) {
    store.touch(slots, count);
  }

  /** Prunes a key in its row; see {@link KeyState#copyPruned}. */
  KeyState.Pruned prune(int slot, TxnId forgotten, TxnId fence) {
    ByteCursor row = store.read(slot);
    int begin = row.at();
    scratch.moveTo(0);
    int name = row.readCount();
    scratch.writeCount(name);
    row.copy(name, scratch);
    KeyState.Pruned pruned = KeyState.copyPruned(row, scratch, forgotten, fence);
    boolean isCold = pruned == KeyState.Pruned.AND_COLD;
    boolean isShorter = scratch.at() < row.at() - begin;
    if (isCold || (isShorter && pruned == KeyState.Pruned.AND_PRUNABLE)) {
      store.replace(slot, scratch, isCold);
    }
    return pruned;
  }

  Key name(int slot) {
    return readName(store.read(slot));
  }

  /** The hash of the name in a slot. */
  int hash(int slot) {
    ByteCursor row = store.read(slot);
    int length = row.readCount();
    return hash.of(row.bytes(), row.at(), row.at() + length);
  }

  boolean isNamed(int slot, Key name) {
    ByteCursor row = store.read(slot);
    int length = row.readCount();
    return length == name.size()
        && Arrays.equals(row.bytes(), row.at(), row.at() + length, name.bytes(), 0, length);
  }

  int compare(int slot, Key name) {
    ByteCursor row = store.read(slot);
    int length = row.readCount();
    return Arrays.compareUnsigned(
        row.bytes(), row.at(), row.at() + length, name.bytes(), 0, name.size());
  }

  int compare(int slot, int other) {
    ByteCursor a = store.read(slot);
    ByteCursor b = store.read(other);
    int aLength = a.readCount();
    int bLength = b.readCount();
    return Arrays.compareUnsigned(
        a.bytes(), a.at(), a.at() + aLength, b.bytes(), b.at(), b.at() + bLength);
  }

  /** The number of bytes with which the names in two slots begin; all of them if they are equal. */
  int commonPrefix(int slot, int other) {
    ByteCursor a = store.read(slot);
    ByteCursor b = store.read(other);
    int most = Math.min(a.readCount(), b.readCount());
    int mismatch =
        Arrays.mismatch(a.bytes(), a.at(), a.at() + most, b.bytes(), b.at(), b.at() + most);
    return mismatch < 0 ? most : mismatch;
  }

  /** Eight bytes of a name from an index on as one number, with zeros behind its end. */
  long prefix(int slot, int from) {
    ByteCursor row = store.read(slot);
    int length = row.readCount();
    long prefix = 0;
    for (int i = from; i < from + Long.BYTES; i++) {
      prefix = prefix << Byte.SIZE | (i < length ? row.bytes()[row.at() + i] & 0xFF : 0);
    }
    return prefix;
  }

  private void writeName(Key name) {
    scratch.moveTo(0);
    scratch.writeCount(name.size());
    scratch.writeBytes(name.bytes());
  }

  private static Key readName(ByteCursor row) {
    return Key.wrap(row.readBytes(row.readCount()));
  }
}
