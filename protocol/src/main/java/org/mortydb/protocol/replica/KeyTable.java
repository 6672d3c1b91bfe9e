package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;

/**
 * The keys of a replica, by name, in order, and by slot. A key keeps its slot as long as it has any
 * state, so a copy of all keys can go on where it stopped while the replica serves.
 */
final class KeyTable {
  private final HashMap<Key, KeyState> byName = new HashMap<>();

  /** For scans; changes only when a key is added or removed. */
  private final TreeMap<Key, KeyState> inOrder = new TreeMap<>();

  /** Keys that are not yet in {@link #inOrder}; see {@link #defer}. Some may be removed again. */
  private final ArrayList<KeyState> unordered = new ArrayList<>();

  private boolean deferring;

  private final ArrayList<@Nullable KeyState> bySlot = new ArrayList<>();
  private final ArrayList<Integer> free = new ArrayList<>();

  @Nullable KeyState get(Key name) {
    return byName.get(name);
  }

  /** Adds a key that is not in the table. */
  void add(KeyState key) {
    byName.put(key.key(), key);
    if (deferring) {
      unordered.add(key);
    } else {
      inOrder.put(key.key(), key);
    }
    if (free.isEmpty()) {
      key.place(bySlot.size());
      bySlot.add(key);
    } else {
      key.place(free.removeLast());
      bySlot.set(key.slot(), key);
    }
  }

  void remove(KeyState key) {
    byName.remove(key.key());
    inOrder.remove(key.key());
    bySlot.set(key.slot(), null);
    free.add(key.slot());
  }

  /**
   * Very many keys are about to be added, in any order, and probably no scan comes before {@link
   * #order}. A tree takes sorted keys many times faster than keys in any order.
   */
  void defer() {
    deferring = true;
  }

  /** Ends {@link #defer}. */
  void order() {
    deferring = false;
    KeyState[] keys =
        unordered.stream().filter(key -> bySlot.get(key.slot()) == key).toArray(KeyState[]::new);
    unordered.clear();
    unordered.trimToSize();
    inOrder.putAll(SortedKeys.of(keys));
  }

  /** The keys of a range, ascending. The table must not change while the caller iterates. */
  Collection<KeyState> in(KeyRange range) {
    if (!unordered.isEmpty()) {
      order();
    }
    return range.in(inOrder).values();
  }

  int size() {
    return byName.size();
  }

  /** The number of slots; they count from 0. */
  int slots() {
    return bySlot.size();
  }

  /** The key in a slot, or null. */
  @Nullable KeyState at(int slot) {
    return bySlot.get(slot);
  }

  /** All keys, in no order that may reach an effect. */
  Collection<KeyState> all() {
    return Collections.unmodifiableCollection(byName.values());
  }
}
