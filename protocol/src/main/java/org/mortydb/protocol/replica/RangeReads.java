package org.mortydb.protocol.replica;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;

/**
 * The ranges that executions have scanned which this replica voted to commit, or which committed:
 * each key in them that is not in the execution's read set was read as never written, and nobody
 * below the reader may write it any more (docs/protocol.md, section 3, rule 6).
 *
 * <p>They are in the order of their readers, because a writer is concerned with those above it
 * alone, and most writers are the newest.
 */
final class RangeReads {

  /**
   * What one execution has scanned.
   *
   * @param listed the keys of its read set here, ascending: they are looked after key by key
   */
  private record RangeRead(List<KeyRange> ranges, Key[] listed) {

    static RangeRead of(ExecutionRecord execution) {
      Key[] listed = new Key[execution.reads().size()];
      for (int i = 0; i < listed.length; i++) {
        listed[i] = execution.reads().get(i).key();
      }
      Arrays.sort(listed);
      return new RangeRead(execution.ranges(), listed);
    }

    /** Whether the key was read as never written. */
    boolean tookForAbsent(Key key) {
      for (int i = 0; i < ranges.size(); i++) {
        if (ranges.get(i).contains(key)) {
          return Arrays.binarySearch(listed, key) < 0;
        }
      }
      return false;
    }
  }

  private final TreeMap<TxnId, RangeRead> prepared = new TreeMap<>();
  private final TreeMap<TxnId, RangeRead> committed = new TreeMap<>();

  /** An execution was voted on. */
  void prepare(TxnId reader, ExecutionRecord execution) {
    if (!execution.ranges().isEmpty()) {
      prepared.put(reader, RangeRead.of(execution));
    }
  }

  /** The vote was taken back, or its transaction is decided. */
  void unprepare(TxnId reader, ExecutionRecord execution) {
    if (!execution.ranges().isEmpty()) {
      prepared.remove(reader);
    }
  }

  /** An execution has committed. */
  void commit(TxnId reader, ExecutionRecord execution) {
    if (!execution.ranges().isEmpty()) {
      committed.put(reader, RangeRead.of(execution));
    }
  }

  /** Whether a committed reader above {@code writer} took the key for never written. */
  boolean committedPast(TxnId writer, Key key) {
    return past(committed, writer, key);
  }

  /** Whether a reader above {@code writer} that holds a vote took the key for never written. */
  boolean preparedPast(TxnId writer, Key key) {
    return past(prepared, writer, key);
  }

  private static boolean past(TreeMap<TxnId, RangeRead> reads, TxnId writer, Key key) {
    if (reads.isEmpty()) {
      return false;
    }
    for (RangeRead read : reads.tailMap(writer, false).values()) {
      if (read.tookForAbsent(key)) {
        return true;
      }
    }
    return false;
  }

  /** Drops what only concerns writers at or below the fence, who are not voted on any more. */
  void prune(TxnId fence) {
    for (Map.Entry<TxnId, RangeRead> oldest = committed.firstEntry();
        oldest != null && !oldest.getKey().isAfter(fence);
        oldest = committed.firstEntry()) {
      committed.pollFirstEntry();
    }
  }

  /** Whether this reader's vote is on scans that count. */
  boolean isPrepared(TxnId reader) {
    return prepared.containsKey(reader);
  }

  /** The readers whose votes are on scans. */
  Iterable<TxnId> preparedReaders() {
    return prepared.keySet();
  }
}
