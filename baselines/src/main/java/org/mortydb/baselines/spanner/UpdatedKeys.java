package org.mortydb.baselines.spanner;

import java.util.LinkedHashMap;
import java.util.Map;
import org.mortydb.protocol.model.Key;

/**
 * Foretells whether who reads a key will write it: as it was with the last transaction that read
 * it. What is foretold wrongly costs concurrency, or an upgrade of a lock, and nothing else.
 */
final class UpdatedKeys {
  /**
   * More keys than contend at a time; those that were not used for the longest time are dropped.
   */
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

  /** A transaction that has read the key prepares, to write it or not. */
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
