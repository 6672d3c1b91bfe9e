package org.mortydb.check.journal;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongList;
import it.unimi.dsi.fastutil.longs.LongLists;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Value;

/**
 * The records that any execution of an attempt has deleted. An absent record does not name the
 * transaction that deleted it. So if the outcome of the attempt stays unknown, these are the
 * records that it may have deleted. They may include deletions of abandoned executions. The same
 * holds for writes of values without a stamp, and for merges.
 *
 * <p>Not thread-safe.
 */
public final class Deletions {
  private @Nullable LongArrayList records;

  /** Writes of values without a stamp, and merges. */
  private @Nullable ObservedWrite unstamped;

  void add(long record) {
    LongArrayList list = records;
    if (list == null) {
      list = new LongArrayList(4);
      records = list;
    }
    list.add(record);
  }

  void add(long record, Value value) {
    for (ObservedWrite w = unstamped; w != null; w = w.previous()) {
      if (w.record() == record && value.equals(w.unstamped())) {
        return; // another execution has done the same
      }
    }
    unstamped = new ObservedWrite(unstamped, record, value);
  }

  /** The numbers of the records deleted, possibly repeated. */
  public LongList records() {
    return records == null ? LongLists.EMPTY_LIST : records;
  }

  /** The deletions as writes, and the writes without a stamp; null if there are none. */
  public @Nullable ObservedWrite asWrites() {
    @Nullable ObservedWrite last = unstamped;
    for (int i = 0; i < records().size(); i++) {
      last = new ObservedWrite(last, records().getLong(i), true, 0);
    }
    return last;
  }
}
