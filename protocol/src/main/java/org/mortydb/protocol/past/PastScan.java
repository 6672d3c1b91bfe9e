package org.mortydb.protocol.past;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.VersionedValue;

/** A scan of the past: the merged answers of the partitions, up to where all are known. */
final class PastScan {
  final KeyRange range;
  final int limit;

  /** By partition where its answers end; none where they are complete, or it has no keys. */
  private final TreeMap<Integer, Key> next = new TreeMap<>();

  private final TreeMap<Key, VersionedValue> rows = new TreeMap<>();

  PastScan(KeyRange range, int limit) {
    this.range = range;
    this.limit = limit;
  }

  void take(int partition, List<VersionedValue> more, @Nullable Key end) {
    for (VersionedValue row : more) {
      rows.put(row.key(), row);
    }
    if (end == null) {
      next.remove(partition);
    } else {
      next.put(partition, end);
    }
  }

  /** The lowest key that may be missing from some partition; null when the range is known. */
  @Nullable Key unknownFrom() {
    return next.values().stream().min(Key::compareTo).orElse(null);
  }

  /** The partitions whose answers end at a key. */
  List<Integer> endingAt(Key key) {
    return next.entrySet().stream()
        .filter(entry -> entry.getValue().equals(key))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The part of the range that the answer covers; null while more must be asked for. */
  @Nullable KeyRange covered() {
    KeyRange known = range.below(unknownFrom());
    int left = limit;
    for (VersionedValue row : known.in(rows).values()) {
      if (!row.value().isAbsent() && --left == 0) {
        return range.below(KeyRange.after(row.key()));
      }
    }
    return unknownFrom() == null ? range : null;
  }

  /** The versions in a part of the range, deletions included. */
  List<VersionedValue> versions(KeyRange part) {
    return List.copyOf(part.in(rows).values());
  }

  /** What the application sees of a part of the range. */
  List<Row> rows(KeyRange part) {
    ArrayList<Row> shown = new ArrayList<>();
    for (VersionedValue row : part.in(rows).values()) {
      if (!row.value().isAbsent()) {
        shown.add(new Row(row.key(), row.value()));
      }
    }
    return shown;
  }
}
