package org.mortydb.protocol.replica;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;

/**
 * The ranges that prepared and committed executions have scanned. The execution has read each key
 * in such a range that is not in its read set as never written, so no transaction below the reader
 * may write the key any more (docs/protocol.md, section 3, rule 6).
 *
 * <p>The ranges are in the order of their readers: a writer looks only at readers above it, and
 * most writers are the newest transaction.
 */
final class RangeReads {

  /**
   * The ranges that one execution has scanned.
   *
   * @param listed the keys of its read set here, ascending; rule 6 looks at them key by key
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

    /** Whether the execution has read the key as never written. */
    boolean readAsAbsent(Key key) {
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

  /** This replica has voted to commit an execution. */
  void prepare(TxnId reader, ExecutionRecord execution) {
    if (!execution.ranges().isEmpty()) {
      prepared.put(reader, RangeRead.of(execution));
    }
  }

  /** The vote was taken back, or the transaction is decided. */
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

  /** Whether a committed reader above {@code writer} has read the key as never written. */
  boolean committedPast(TxnId writer, Key key) {
    return past(committed, writer, key);
  }

  /** Whether a prepared reader above {@code writer} has read the key as never written. */
  boolean preparedPast(TxnId writer, Key key) {
    return past(prepared, writer, key);
  }

  private static boolean past(TreeMap<TxnId, RangeRead> reads, TxnId writer, Key key) {
    if (reads.isEmpty()) {
      return false;
    }
    for (RangeRead read : reads.tailMap(writer, false).values()) {
      if (read.readAsAbsent(key)) {
        return true;
      }
    }
    return false;
  }

  /** Drops the readers at or below the fence: no writer below them gets a vote any more. */
  void prune(TxnId fence) {
    for (Map.Entry<TxnId, RangeRead> oldest = committed.firstEntry();
        oldest != null && !oldest.getKey().isAfter(fence);
        oldest = committed.firstEntry()) {
      committed.pollFirstEntry();
    }
  }

  /** Whether the scans of a reader count as prepared. */
  boolean isPrepared(TxnId reader) {
    return prepared.containsKey(reader);
  }

  /** The readers with prepared scans. */
  Iterable<TxnId> preparedReaders() {
    return prepared.keySet();
  }
}
