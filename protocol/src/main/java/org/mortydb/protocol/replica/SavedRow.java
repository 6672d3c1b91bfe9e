package org.mortydb.protocol.replica;

import org.mortydb.protocol.table.ByteCursor;
import org.mortydb.protocol.table.RowStore;

/**
 * The row that a key which is awake was loaded from. Its content stays as it is until the key rests
 * again, but not its place in the store.
 */
final class SavedRow {
  private final RowStore store;
  private final int slot;

  /** Where the row began when its latest cursor was made. */
  private int begin;

  SavedRow(RowStore store, int slot, int begin) {
    this.store = store;
    this.slot = slot;
    this.begin = begin;
  }

  /** The place within the row of the latest cursor that reads it. */
  int place(ByteCursor loading) {
    return loading.at() - begin;
  }

  /** A cursor at a place within the row. */
  ByteCursor at(int place) {
    ByteCursor row = store.read(slot);
    begin = row.at();
    row.moveTo(begin + place);
    return row;
  }
}
