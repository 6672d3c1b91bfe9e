package org.mortydb.protocol.coordinator;

import java.util.List;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/** A scan of the application. What it shows is worked out anew for each execution. */
final class ScanOperation implements ExecutionLog.Operation {
  final KeyRange range;
  final int limit;

  /** Where the range is known from, one for each partition. */
  final List<ScanSlot> slots;

  /** What the transaction itself had written in the range by then. */
  final NavigableMap<Key, Value> ownWrites;

  /** What the application was shown, and the range that it tells of; null as long as it waits. */
  private @Nullable List<Row> rows;

  private @Nullable KeyRange covered;

  ScanOperation(
      KeyRange range, int limit, List<ScanSlot> slots, NavigableMap<Key, Value> ownWrites) {
    this.range = range;
    this.limit = limit;
    this.slots = slots;
    this.ownWrites = ownWrites;
  }

  /** The lowest key that some partition has told nothing of; null when all have told all. */
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

  void answer(List<Row> shown, KeyRange toldOf) {
    rows = shown;
    covered = toldOf;
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

  /** The range that was read, up to the last row where the limit has cut it off. */
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
