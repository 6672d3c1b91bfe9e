package org.mortydb.protocol.table;

/**
 * Finds rows by name: open addressing over the numbers of the rows. The index holds no names. Its
 * owner says which hash a row has, and whether a row has a name.
 *
 * @param <N> the names
 */
public abstract class HashIndex<N> {
  /** The answer for a name that no row has. */
  public static final int NONE = -1;

  private static final int INITIAL_PLACES = 16;

  /** The number of a row plus one in each place in use; 0 in the others. */
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
    for (int place = hash & mask; places[place] != 0; place = (place + 1) & mask) {
      int row = places[place] - 1;
      if (isNamed(row, name)) {
        return row;
      }
    }
    return NONE;
  }

  /** Adds a row whose name no other row has. */
  public final void add(int row) {
    if (4L * ++size > 3L * places.length) {
      int[] old = places;
      places = new int[2 * old.length];
      for (int entry : old) {
        if (entry != 0) {
          put(entry - 1);
        }
      }
    }
    put(row);
  }

  private void put(int row) {
    int mask = places.length - 1;
    int place = hash(row) & mask;
    while (places[place] != 0) {
      place = (place + 1) & mask;
    }
    places[place] = row + 1;
  }

  /** Removes a row; its name can still be asked for. */
  public final void remove(int row) {
    int mask = places.length - 1;
    int gap = hash(row) & mask;
    while (places[gap] != row + 1) {
      if (places[gap] == 0) {
        throw new IllegalArgumentException("row " + row + " is not in the index");
      }
      gap = (gap + 1) & mask;
    }
    // Moves back each row that was put behind the gap only because the gap's place was taken.
    for (int next = (gap + 1) & mask; places[next] != 0; next = (next + 1) & mask) {
      int home = hash(places[next] - 1) & mask;
      if (((next - home) & mask) >= ((next - gap) & mask)) {
        places[gap] = places[next];
        gap = next;
      }
    }
    places[gap] = 0;
    size--;
  }
}
