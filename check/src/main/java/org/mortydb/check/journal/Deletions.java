package org.mortydb.check.journal;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongList;
import it.unimi.dsi.fastutil.longs.LongLists;
import org.jspecify.annotations.Nullable;

/**
 * What any execution of one attempt has deleted. A record that is gone tells nobody who deleted it;
 * so if the attempt's outcome remains unknown, this tells what may be gone because of it.
 * Executions that did not commit may have added to it: it says what may be, not what is.
 *
 * <p>Used by one thread at a time.
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

  /** The numbers of the records, some more than once. */
  public LongList records() {
    return records == null ? LongLists.EMPTY_LIST : records;
  }

  /** The same as writes, null when there is none. */
  public @Nullable ObservedWrite asWrites() {
    @Nullable ObservedWrite last = null;
    for (int i = 0; i < records().size(); i++) {
      last = new ObservedWrite(last, records().getLong(i), true, 0);
    }
    return last;
  }
}
