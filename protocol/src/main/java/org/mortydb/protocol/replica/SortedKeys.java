package org.mortydb.protocol.replica;

import java.util.Arrays;
import java.util.stream.Stream;
import org.mortydb.protocol.model.Key;

/** Sorts very many keys. */
final class SortedKeys {
  private SortedKeys() {}

  /**
   * Sorts keys by the first bytes in which they differ. This takes one number for each key, so most
   * comparisons need not load the keys.
   */
  static Stream<Key> sort(Key[] unsorted) {
    int skipped = commonPrefix(unsorted);
    int indexBits = Integer.SIZE - Integer.numberOfLeadingZeros(unsorted.length);
    long[] places = new long[unsorted.length];
    for (int i = 0; i < unsorted.length; i++) {
      long prefix = unsorted[i].prefix(skipped) >>> 1; // not negative
      places[i] = prefix >>> indexBits << indexBits | i;
    }
    Arrays.sort(places);
    Key[] keys = new Key[unsorted.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = unsorted[(int) (places[i] & ((1L << indexBits) - 1))];
    }
    Arrays.sort(keys); // those with equal prefixes
    return Arrays.stream(keys);
  }

  /** The number of bytes with which all keys begin. */
  private static int commonPrefix(Key[] keys) {
    int common = keys.length == 0 ? 0 : keys[0].size();
    for (Key key : keys) {
      byte[] bytes = key.bytes();
      int most = Math.min(common, bytes.length);
      int mismatch = Arrays.mismatch(bytes, 0, most, keys[0].bytes(), 0, most);
      common = mismatch < 0 ? most : mismatch;
    }
    return common;
  }
}
