package org.mortydb.protocol.replica;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Puts very many slots in the order of the names of their keys. It makes no objects of the names,
 * and compares few of them: most differ in their first bytes after those that all have in common.
 */
final class SlotSorter {
  /** So few slots are compared with each other. */
  private static final int FEW = 16;

  private final KeyRows rows;

  SlotSorter(KeyRows rows) {
    this.rows = rows;
  }

  /** Sorts slots, all of which have a key. */
  void sort(int[] slots) {
    sort(slots, 0, slots.length);
  }

  private void sort(int[] slots, int from, int to) {
    int count = to - from;
    if (count <= FEW) {
      insert(slots, from, to);
      return;
    }
    // In one number the first bytes of a name, as far as there is room, and where its slot is.
    int skipped = commonPrefix(slots, from, to);
    int indexBits = Integer.SIZE - Integer.numberOfLeadingZeros(count);
    long[] places = new long[count];
    for (int i = 0; i < count; i++) {
      long prefix = rows.prefix(slots[from + i], skipped) >>> 1; // not negative
      places[i] = prefix >>> indexBits << indexBits | i;
    }
    Arrays.sort(places);
    int[] unsorted = Arrays.copyOfRange(slots, from, to);
    for (int i = 0; i < count; i++) {
      slots[from + i] = unsorted[(int) (places[i] & ((1L << indexBits) - 1))];
    }
    int begin = 0;
    for (int i = 1; i <= count; i++) {
      if (i == count || places[i] >>> indexBits != places[begin] >>> indexBits) {
        if (i - begin == count) {
          compareAll(slots, from, to);
        } else if (i - begin > 1) {
          sort(slots, from + begin, from + i);
        }
        begin = i;
      }
    }
  }

  private void insert(int[] slots, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      int slot = slots[i];
      int at = i;
      while (at > from && rows.compare(slots[at - 1], slot) > 0) {
        slots[at] = slots[at - 1];
        at--;
      }
      slots[at] = slot;
    }
  }

  /** For names that differ only in the number of zeros at their ends, or far behind such zeros. */
  private void compareAll(int[] slots, int from, int to) {
    Comparator<Integer> byName = rows::compare;
    int[] sorted =
        Arrays.stream(slots, from, to).boxed().sorted(byName).mapToInt(Integer::intValue).toArray();
    System.arraycopy(sorted, 0, slots, from, sorted.length);
  }

  /** The number of bytes with which the names of all slots begin; there is at least one. */
  private int commonPrefix(int[] slots, int from, int to) {
    int common = Integer.MAX_VALUE;
    for (int i = from; i < to; i++) {
      common = Math.min(common, rows.commonPrefix(slots[from], slots[i]));
    }
    return common;
  }
}
