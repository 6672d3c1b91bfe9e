package org.mortydb.protocol.replica;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.TxnId;

/**
 * The ranges that executions have scanned: prepared, committed, and registered ones. The execution
 * has read each key in such a range that is not in its read set as never written, so no transaction
 * below the reader may write the key any more (docs/protocol.md, section 3, rule 6).
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

  /**
   * By execution: a replica has no record of a registered reader, so a late request may register an
   * older execution after the one that has committed.
   */
  private final TreeMap<ExecutionId, RangeRead> registered =
      new TreeMap<>(Comparator.comparing(ExecutionId::txn).thenComparingInt(ExecutionId::number));

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

  /** The reads of a read-only execution are registered. */
  void register(TxnId reader, ExecutionRecord execution) {
    if (!execution.ranges().isEmpty()) {
      registered.put(new ExecutionId(reader, execution.number()), RangeRead.of(execution));
    }
  }

  /** The reader has given up an execution, and so those before it: their reads do not count. */
  void takeBack(ExecutionId execution) {
    if (!registered.isEmpty()) {
      ExecutionId first = new ExecutionId(execution.txn(), 0);
      registered.subMap(first, true, execution, true).clear();
    }
  }

  /** Whether a committed reader above {@code writer} has read the key as never written. */
  boolean committedPast(TxnId writer, Key key) {
    return !committed.isEmpty() && areAny(committed.tailMap(writer, false), key);
  }

  /** Whether a prepared reader above {@code writer} has read the key as never written. */
  boolean preparedPast(TxnId writer, Key key) {
    return !prepared.isEmpty() && areAny(prepared.tailMap(writer, false), key);
  }

  /** Whether a registered reader above {@code writer} has read the key as never written. */
  boolean registeredPast(TxnId writer, Key key) {
    return !registered.isEmpty() && areAny(registered.tailMap(last(writer), false), key);
  }

  private static boolean areAny(Map<?, RangeRead> reads, Key key) {
    for (RangeRead read : reads.values()) {
      if (read.readAsAbsent(key)) {
        return true;
      }
    }
    return false;
  }

  /** Not below any execution of a transaction. */
  private static ExecutionId last(TxnId txn) {
    return new ExecutionId(txn, Limits.MAX_NUMBER);
  }

  /** Drops the readers at or below the fence: no writer below them gets a vote any more. */
  void prune(TxnId fence) {
    committed.headMap(fence, true).clear();
    registered.headMap(last(fence), true).clear();
  }

  /** Whether there are no ranges. */
  boolean isEmpty() {
    return prepared.isEmpty() && committed.isEmpty() && registered.isEmpty();
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
