package org.mortydb.protocol.replica;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;

/**
 * Sorted keys as a map, which {@link java.util.TreeMap#putAll} takes in linear time. It can do
 * nothing else.
 */
final class SortedKeys extends AbstractMap<Key, KeyState> implements SortedMap<Key, KeyState> {
  private final KeyState[] keys;

  private SortedKeys(KeyState[] keys) {
    this.keys = keys;
  }

  /**
   * Sorts keys by the first bytes in which they differ. This takes one number for each key, so most
   * comparisons need not load the keys.
   */
  static SortedKeys of(KeyState[] unsorted) {
    int skipped = commonPrefix(unsorted);
    int indexBits = Integer.SIZE - Integer.numberOfLeadingZeros(unsorted.length);
    long[] places = new long[unsorted.length];
    for (int i = 0; i < unsorted.length; i++) {
      long prefix = unsorted[i].key().prefix(skipped) >>> 1; // not negative
      places[i] = prefix >>> indexBits << indexBits | i;
    }
    Arrays.sort(places);
    KeyState[] keys = new KeyState[unsorted.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = unsorted[(int) (places[i] & ((1L << indexBits) - 1))];
    }
    Arrays.sort(keys, Comparator.comparing(KeyState::key)); // those with equal prefixes
    return new SortedKeys(keys);
  }

  /** The number of bytes with which all keys begin. */
  private static int commonPrefix(KeyState[] keys) {
    int common = keys.length == 0 ? 0 : keys[0].key().size();
    for (KeyState key : keys) {
      byte[] bytes = key.key().bytes();
      int most = Math.min(common, bytes.length);
      int mismatch = Arrays.mismatch(bytes, 0, most, keys[0].key().bytes(), 0, most);
      common = mismatch < 0 ? most : mismatch;
    }
    return common;
  }

  @Override
  public Set<Map.Entry<Key, KeyState>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public Iterator<Map.Entry<Key, KeyState>> iterator() {
        return Arrays.stream(keys).map(key -> Map.entry(key.key(), key)).iterator();
      }

      @Override
      public int size() {
        return keys.length;
      }
    };
  }

  @Override
  public @Nullable Comparator<? super Key> comparator() {
    return null;
  }

  @Override
  public SortedMap<Key, KeyState> subMap(Key from, Key to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public SortedMap<Key, KeyState> headMap(Key to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public SortedMap<Key, KeyState> tailMap(Key from) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Key firstKey() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Key lastKey() {
    throw new UnsupportedOperationException();
  }
}
