package org.mortydb.protocol.table;

import java.util.Arrays;
import java.util.List;

/**
 * The numbers of rows in the order of their names, in blocks of a few hundred: a tree of two
 * levels. The index holds no names. Its owner compares a row with a name.
 *
 * @param <N> the names
 */
public abstract class SortedIndex<N> {
  static final int MOST_IN_BLOCK = 512;

  private int[][] blocks = {new int[MOST_IN_BLOCK]};
  private int[] sizes = {0};
  private int used = 1;
  private int size;

  /** Compares the name of a row with a name; less than 0 if the row comes first. */
  protected abstract int compare(int row, N name);

  /** The number of rows. */
  public final int size() {
    return size;
  }

  /** Adds a row whose name no other row has. */
  public final void add(int row, N name) {
    add(row, name, blockOf(name), 0);
  }

  /**
   * Adds rows whose names no other rows have. Rows that come next to each other are found without a
   * search: the next one most often belongs behind the one before.
   *
   * @param rows the rows in the order of their names
   * @param names their names
   */
  public final void addAll(int[] rows, List<N> names) {
    int block = 0;
    int behind = 0;
    for (int i = 0; i < rows.length; i++) {
      N name = names.get(i);
      if (i == 0 || (block < used - 1 && compare(blocks[block + 1][0], name) <= 0)) {
        block = blockOf(name);
        behind = 0;
      }
      int blocksBefore = used;
      behind = add(rows[i], name, block, behind) + 1;
      if (used > blocksBefore) {
        block = blockOf(name); // it was split
        behind = 0;
      }
    }
  }

  /**
   * Adds a row.
   *
   * @param block the last block whose first row is at or below the name, or the first block
   * @param least a place in the block that is not above that of the name
   * @return the place of the row in its block
   */
  private int add(int row, N name, int block, int least) {
    int from = least;
    int to = block;
    if (sizes[to] == MOST_IN_BLOCK) {
      boolean isLast = to == used - 1 && placeIn(to, name, from) == MOST_IN_BLOCK;
      split(to, isLast ? MOST_IN_BLOCK - 1 : MOST_IN_BLOCK / 2); // names often come in order
      to = blockOf(name);
      from = 0;
    }
    int[] rows = blocks[to];
    boolean isFirst = from == sizes[to] || (from > 0 && compare(rows[from], name) > 0);
    int place = isFirst ? from : placeIn(to, name, from);
    System.arraycopy(rows, place, rows, place + 1, sizes[to] - place);
    rows[place] = row;
    sizes[to]++;
    size++;
    return place;
  }

  /** Removes the row with a name. */
  public final void remove(int row, N name) {
    int block = blockOf(name);
    int place = placeIn(block, name, 0);
    int[] rows = blocks[block];
    if (place == sizes[block] || rows[place] != row) {
      throw new IllegalArgumentException("row " + row + " is not in the index");
    }
    sizes[block]--;
    size--;
    System.arraycopy(rows, place + 1, rows, place, sizes[block] - place);
    if (sizes[block] == 0 && used > 1) {
      used--;
      System.arraycopy(blocks, block + 1, blocks, block, used - block);
      System.arraycopy(sizes, block + 1, sizes, block, used - block);
      blocks[used] = new int[0];
    }
  }

  /** Replaces all rows by others, which are in order. */
  public final void replaceAll(int[] ordered) {
    int filled = MOST_IN_BLOCK * 3 / 4; // with room for some more each
    used = Math.max(1, (ordered.length + filled - 1) / filled);
    blocks = new int[used][];
    sizes = new int[used];
    size = ordered.length;
    for (int i = 0; i < used; i++) {
      int from = i * filled;
      sizes[i] = Math.min(filled, ordered.length - from);
      blocks[i] = Arrays.copyOf(Arrays.copyOfRange(ordered, from, from + sizes[i]), MOST_IN_BLOCK);
    }
  }

  /** The number of blocks. */
  final int blocks() {
    return used;
  }

  /** All rows, in order. */
  public final int[] toArray() {
    int[] all = new int[size];
    int at = 0;
    for (int i = 0; i < used; i++) {
      System.arraycopy(blocks[i], 0, all, at, sizes[i]);
      at += sizes[i];
    }
    return all;
  }

  /** Goes through the rows in order, from a name on. The index must not change meanwhile. */
  public final Cursor from(N name) {
    Cursor cursor = new Cursor();
    cursor.block = blockOf(name);
    cursor.place = placeIn(cursor.block, name, 0);
    return cursor;
  }

  /** A place in the order of the rows. */
  public final class Cursor {
    private int block;
    private int place;

    private Cursor() {}

    /** Whether there is another row. */
    public boolean hasNext() {
      while (block < used && place == sizes[block]) {
        block++;
        place = 0;
      }
      return block < used;
    }

    /** The next row, if there is one. */
    public int next() {
      return blocks[block][place++];
    }
  }

  /** The last block whose first row is at or below a name, or the first block. */
  private int blockOf(N name) {
    int low = 0;
    int high = used - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (compare(blocks[middle][0], name) <= 0) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The place of the first row in a block, from a place on, that is not below a name. */
  private int placeIn(int block, N name, int from) {
    int[] rows = blocks[block];
    int low = from;
    int high = sizes[block];
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compare(rows[middle], name) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private void split(int block, int lower) {
    if (used == blocks.length) {
      blocks = Arrays.copyOf(blocks, 2 * used);
      sizes = Arrays.copyOf(sizes, 2 * used);
    }
    System.arraycopy(blocks, block, blocks, block + 1, used - block);
    System.arraycopy(sizes, block, sizes, block + 1, used - block);
    used++;
    int[] upper = new int[MOST_IN_BLOCK];
    System.arraycopy(blocks[block], lower, upper, 0, MOST_IN_BLOCK - lower);
    blocks[block + 1] = upper;
    sizes[block] = lower;
    sizes[block + 1] = MOST_IN_BLOCK - lower;
  }
}
