package org.mortydb.protocol.model;

import java.util.Arrays;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A range of keys, in the order of {@link Key#compareTo}.
 *
 * @param from the lower end, inclusive
 * @param to the upper end, exclusive; null for no end
 */
public record KeyRange(Key from, @Nullable Key to) {

  /** All keys. */
  public static final KeyRange ALL = new KeyRange(Key.wrap(new byte[0]), null);

  /**
   * The keys that begin with some bytes.
   *
   * @param prefix the bytes; if empty, the range has all keys
   */
  public static KeyRange ofPrefix(Key prefix) {
    byte[] bytes = prefix.bytes();
    int length = bytes.length;
    while (length > 0 && bytes[length - 1] == (byte) 0xFF) {
      length--;
    }
    if (length == 0) {
      return new KeyRange(prefix, null);
    }
    byte[] next = Arrays.copyOf(bytes, length);
    next[length - 1]++;
    return new KeyRange(prefix, Key.wrap(next));
  }

  /** The lowest key above another. */
  public static Key after(Key key) {
    return Key.wrap(Arrays.copyOf(key.bytes(), key.size() + 1));
  }

  /** Whether the range contains no key. */
  public boolean isEmpty() {
    return to != null && from.compareTo(to) >= 0;
  }

  /** Whether a key is in the range. */
  public boolean contains(Key key) {
    return key.compareTo(from) >= 0 && (to == null || key.compareTo(to) < 0);
  }

  /** A view of the part of a map whose keys are in the range. */
  public <V> SortedMap<Key, V> in(NavigableMap<Key, V> map) {
    if (isEmpty()) {
      return Collections.emptySortedMap();
    }
    return to == null ? map.tailMap(from, true) : map.subMap(from, true, to, false);
  }

  /** The part of the range below a key; the whole range if that is null. */
  public KeyRange below(@Nullable Key end) {
    boolean shorter = end != null && (to == null || end.compareTo(to) < 0);
    return shorter ? new KeyRange(from, end) : this;
  }

  /** The range in the notation of intervals; one that ends right after a key, with that key. */
  @Override
  public String toString() {
    if (to == null) {
      return "[" + from + ", end)";
    }
    int last = to.size() - 1;
    return last > 0 && to.bytes()[last] == 0
        ? "[" + from + ", " + Key.wrap(Arrays.copyOf(to.bytes(), last)) + "]"
        : "[" + from + ", " + to + ")";
  }
}
