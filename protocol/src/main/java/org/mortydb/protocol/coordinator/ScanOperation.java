package org.mortydb.protocol.coordinator;

import java.util.List;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/** A scan of the application. Each execution computes its rows again. */
final class ScanOperation implements ExecutionLog.Operation {
  final KeyRange range;
  final int limit;

  /** The known part of the range, one slot for each partition. */
  final List<ScanSlot> slots;

  /** What the transaction itself had written in the range before the scan. */
  final NavigableMap<Key, Value> ownWrites;

  /** The rows that the application gets; null as long as it waits. */
  private @Nullable List<Row> rows;

  /** The part of the range that the rows cover; null as long as the application waits. */
  private @Nullable KeyRange covered;

  ScanOperation(
      KeyRange range, int limit, List<ScanSlot> slots, NavigableMap<Key, Value> ownWrites) {
    this.range = range;
    this.limit = limit;
    this.slots = slots;
    this.ownWrites = ownWrites;
  }

  /** The lowest key that may be missing from some partition; null when the range is known. */
  @Nullable Key unknownFrom() {
    Key lowest = null;
    for (ScanSlot slot : slots) {
      Key next = slot.next;
      if (next != null && (lowest == null || next.compareTo(lowest) < 0)) {
        lowest = next;
      }
    }
    return lowest;
  }

  void answer(List<Row> newRows, KeyRange newCovered) {
    rows = newRows;
    covered = newCovered;
  }

  void waitForMore() {
    rows = null;
    covered = null;
  }

  List<Row> rows() {
    if (rows == null) {
      throw new IllegalStateException("the scan of " + range + " is not answered");
    }
    return rows;
  }

  /** The range that was read; it ends with the last row if the limit cut the scan off. */
  KeyRange covered() {
    if (covered == null) {
      throw new IllegalStateException("the scan of " + range + " is not answered");
    }
    return covered;
  }

  boolean covers(Key key) {
    return covered != null && covered.contains(key);
  }
}
