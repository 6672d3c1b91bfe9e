package org.mortydb.protocol.replica;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;

/**
 * Keys that are awake, by name: open addressing, with the hashes in an array of their own. Most
 * keys that are looked up are at rest, and to find that out takes one access to memory.
 */
final class AwakeKeys {
  private static final int LEAST_PLACES = 1_024;

  /** The hash of the key in each place in use; of no meaning in the others. */
  private int[] hashes = new int[LEAST_PLACES];

  private @Nullable KeyState[] keys = new KeyState[LEAST_PLACES];
  private int size;
  private final KeyHash hash;

  /** No keys yet, which a hash will place. */
  AwakeKeys(KeyHash hash) {
    this.hash = hash;
  }

  int size() {
    return size;
  }

  /**
   * The key with a name, or null.
   *
   * @param hashOfName the {@link KeyHash} of the name
   */
  @Nullable KeyState get(Key name, int hashOfName) {
    int mask = keys.length - 1;
    for (int place = hashOfName & mask; ; place = (place + 1) & mask) {
      KeyState key = keys[place];
      if (key == null || (hashes[place] == hashOfName && key.key().equals(name))) {
        return key;
      }
    }
  }

  /** Adds a key whose name no other one has. */
  void add(KeyState key) {
    if (2 * ++size > keys.length) {
      resize(2 * keys.length);
    }
    put(key, hash.of(key.key()));
  }

  /** Removes a key that is here. */
  void remove(KeyState key) {
    int mask = keys.length - 1;
    int gap = hash.of(key.key()) & mask;
    while (keys[gap] != key) {
      gap = (gap + 1) & mask;
    }
    // Moves back each key that was put behind the gap only because the gap's place was taken.
    for (int next = (gap + 1) & mask; keys[next] != null; next = (next + 1) & mask) {
      int home = hashes[next] & mask;
      if (((next - home) & mask) >= ((next - gap) & mask)) {
        keys[gap] = keys[next];
        hashes[gap] = hashes[next];
        gap = next;
      }
    }
    keys[gap] = null;
    if (--size < keys.length / 16 && keys.length > LEAST_PLACES) {
      resize(keys.length / 4);
    }
  }

  private void put(KeyState key, int hashOfName) {
    int mask = keys.length - 1;
    int place = hashOfName & mask;
    while (keys[place] != null) {
      place = (place + 1) & mask;
    }
    keys[place] = key;
    hashes[place] = hashOfName;
  }

  private void resize(int places) {
    @Nullable KeyState[] oldKeys = keys;
    int[] oldHashes = hashes;
    keys = new KeyState[places];
    hashes = new int[places];
    for (int i = 0; i < oldKeys.length; i++) {
      KeyState key = oldKeys[i];
      if (key != null) {
        put(key, oldHashes[i]);
      }
    }
  }
}
