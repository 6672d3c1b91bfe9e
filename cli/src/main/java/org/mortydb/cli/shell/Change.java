package org.mortydb.cli.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.shell.Effect.Item;
import org.mortydb.cli.shell.Statement.Operation;
import org.mortydb.cli.shell.Statement.Scan;
import org.mortydb.protocol.model.Key;

/**
 * A read whose value changed after it was shown, because its transaction re-executed.
 *
 * @param key the key as typed
 * @param before the shown value; null for none
 * @param after the value now; null for none
 */
record Change(String key, @Nullable Object before, @Nullable Object after) {

  /** Returns what an operation reads differently now, key by key. */
  static List<Change> between(Operation operation, Effect before, Effect after) {
    Map<Key, Item> was = byKey(operation, before, after);
    Map<Key, Item> is = byKey(operation, after, before);
    TreeMap<Key, Change> changes = new TreeMap<>();
    if (before.failure() == null && after.failure() == null) {
      was.forEach(
          (key, item) -> {
            Item now = is.get(key);
            if (now == null || !Objects.equals(item.value(), now.value())) {
              changes.put(
                  key, new Change(item.name(), item.shown(), now == null ? null : now.shown()));
            }
          });
      is.forEach(
          (key, item) -> {
            if (!was.containsKey(key)) {
              changes.put(key, new Change(item.name(), null, item.shown()));
            }
          });
    }
    return new ArrayList<>(changes.values());
  }

  /** Returns the reads that the other execution covers too: the limit of a scan may cut it off. */
  private static Map<Key, Item> byKey(Operation operation, Effect one, Effect other) {
    Key last = null;
    if (operation instanceof Scan scan && other.reads().size() == scan.limit()) {
      last = other.reads().getLast().key();
    }
    TreeMap<Key, Item> items = new TreeMap<>();
    for (Item item : one.reads()) {
      if (last == null || item.key().compareTo(last) <= 0) {
        items.put(item.key(), item);
      }
    }
    return items;
  }
}
