package org.mortydb.baselines.spanner;

import java.util.LinkedHashMap;
import java.util.Map;
import org.mortydb.protocol.model.Key;

/**
 * Predicts whether a reader of a key will write it, by the last transaction that read the key. A
 * wrong prediction costs concurrency or an upgrade of a lock, but not correctness.
 */
final class UpdatedKeys {
  /** More keys than are contended at a time. The least recently used keys are dropped. */
  private static final int MAX_KEYS = 1 << 14;

  private final Map<Key, Boolean> updated =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Boolean> eldest) {
          return size() > MAX_KEYS;
        }
      };

  boolean contains(Key key) {
    return updated.get(key) != null; // counts as use
  }

  /** A transaction that has read the key prepares, with or without a write of the key. */
  void learn(Key key, boolean isWritten) {
    if (isWritten) {
      updated.put(key, true);
    } else {
      updated.remove(key);
    }
  }

  int size() {
    return updated.size();
  }
}
