package org.mortydb.protocol.table;

import java.util.BitSet;

/**
 * Finds rows by name: open addressing over the numbers of the rows. The index holds no names. Its
 * owner says which hash a row has, and whether a row has a name. The index has a place for each
 * number up to the highest one.
 *
 * @param <N> the names
 */
public abstract class HashIndex<N> {
  /** The answer for a name that no row has. */
  public static final int NONE = -1;

  private static final int INITIAL_PLACES = 16;

  /**
   * In each place in use the number of a row plus one, with a tag above it: those bits of the hash
   * that are above the number of a place. Few other names have the same tag, so most rows that have
   * another name need not be looked at. 0 in the other places.
   */
  private int[] places = new int[INITIAL_PLACES];

  private int size;

  /** The hash of a row's name. */
  protected abstract int hash(int row);

  /** Whether a row has a name. */
  protected abstract boolean isNamed(int row, N name);

  /** The number of rows. */
  public final int size() {
    return size;
  }

  /**
   * The row with a name, or {@link #NONE}.
   *
   * @param hash the hash of the name
   */
  public final int find(N name, int hash) {
    int mask = places.length - 1;
    int tag = hash & ~mask;
    for (int place = hash & mask; places[place] != 0; place = (place + 1) & mask) {
      int row = rowAt(place);
      if ((places[place] & ~mask) == tag && isNamed(row, name)) {
        return row;
      }
    }
    return NONE;
  }

  /**
   * The row in the place where a name with a hash belongs, which is most often the row with that
   * name; {@link #NONE} if there is none. It looks at no row.
   */
  public final int likely(int hash) {
    return rowAt(hash & (places.length - 1));
  }

  /** Adds a row whose name no other row has. */
  public final void add(int row) {
    size++;
    int wanted = places.length;
    while (4L * size > 3L * wanted || row + 1 >= wanted) {
      wanted *= 2;
    }
    if (wanted > places.length) {
      BitSet rows = rows();
      places = new int[wanted];
      // In the order of their numbers, in which rows often lie next to each other.
      for (int moved = rows.nextSetBit(0); moved >= 0; moved = rows.nextSetBit(moved + 1)) {
        put(moved);
      }
    }
    put(row);
  }

  private BitSet rows() {
    BitSet rows = new BitSet();
    for (int place = 0; place < places.length; place++) {
      if (places[place] != 0) {
        rows.set(rowAt(place));
      }
    }
    return rows;
  }

  private void put(int row) {
    int mask = places.length - 1;
    int hash = hash(row);
    int place = hash & mask;
    while (places[place] != 0) {
      place = (place + 1) & mask;
    }
    places[place] = (hash & ~mask) | (row + 1);
  }

  /** The row in a place, or {@link #NONE}. */
  private int rowAt(int place) {
    return (places[place] & (places.length - 1)) - 1;
  }

  /** Removes a row; its name can still be asked for. */
  public final void remove(int row) {
    int mask = places.length - 1;
    int gap = hash(row) & mask;
    while (rowAt(gap) != row) {
      if (places[gap] == 0) {
        throw new IllegalArgumentException("row " + row + " is not in the index");
      }
      gap = (gap + 1) & mask;
    }
    // Moves back each row that was put behind the gap only because the gap's place was taken.
    for (int next = (gap + 1) & mask; places[next] != 0; next = (next + 1) & mask) {
      int home = hash(rowAt(next)) & mask;
      if (((next - home) & mask) >= ((next - gap) & mask)) {
        places[gap] = places[next];
        gap = next;
      }
    }
    places[gap] = 0;
    size--;
  }
}
