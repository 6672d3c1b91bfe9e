package org.mortydb.check.journal;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongList;
import it.unimi.dsi.fastutil.longs.LongLists;
import org.jspecify.annotations.Nullable;

/**
 * The records that any execution of an attempt has deleted. An absent record does not name the
 * transaction that deleted it. So if the outcome of the attempt stays unknown, these are the
 * records that it may have deleted. They may include deletions of abandoned executions.
 *
 * <p>Not thread-safe.
 */
public final class Deletions {
  private @Nullable LongArrayList records;

  void add(long record) {
    LongArrayList list = records;
    if (list == null) {
      list = new LongArrayList(4);
      records = list;
    }
    list.add(record);
  }

  /** The numbers of the records, possibly repeated. */
  public LongList records() {
    return records == null ? LongLists.EMPTY_LIST : records;
  }

  /** The deletions as writes; null if there are none. */
  public @Nullable ObservedWrite asWrites() {
    @Nullable ObservedWrite last = null;
    for (int i = 0; i < records().size(); i++) {
      last = new ObservedWrite(last, records().getLong(i), true, 0);
    }
    return last;
  }
}
