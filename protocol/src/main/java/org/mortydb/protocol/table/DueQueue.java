package org.mortydb.protocol.table;

/** Rows that wait, each with the time since when, first in, first out: a ring of numbers. */
public final class DueQueue {
  private static final int INITIAL_PLACES = 16;

  private int[] rows = new int[INITIAL_PLACES];
  private long[] times = new long[INITIAL_PLACES];
  private int head;
  private int size;

  /** The number of rows that wait. */
  public int size() {
    return size;
  }

  /** Whether no row waits. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** Adds a row at the end. */
  public void add(int row, long time) {
    if (size == rows.length) {
      resize(2 * size);
    }
    int end = (head + size++) & (rows.length - 1);
    rows[end] = row;
    times[end] = time;
  }

  /** The time of the first row; the queue is not empty. */
  public long firstTime() {
    return times[head];
  }

  /** Whether at least so many rows wait, and since a time or longer. */
  public boolean haveWaited(int count, long time) {
    return size >= count && times[(head + count - 1) & (rows.length - 1)] <= time;
  }

  /** Removes the first row; the queue is not empty. */
  public int poll() {
    int row = rows[head];
    head = (head + 1) & (rows.length - 1);
    if (--size < rows.length / 8 && rows.length > INITIAL_PLACES) {
      resize(Math.max(INITIAL_PLACES, rows.length / 4));
    }
    return row;
  }

  /**
   * Copies the first rows, which stay.
   *
   * @return how many there were, at most the length of {@code to}
   */
  public int peek(int[] to) {
    int count = Math.min(size, to.length);
    for (int i = 0; i < count; i++) {
      to[i] = rows[(head + i) & (rows.length - 1)];
    }
    return count;
  }

  private void resize(int places) {
    int[] newRows = new int[places];
    long[] newTimes = new long[places];
    for (int i = 0; i < size; i++) {
      int from = (head + i) & (rows.length - 1);
      newRows[i] = rows[from];
      newTimes[i] = times[from];
    }
    rows = newRows;
    times = newTimes;
    head = 0;
  }

  /** The places of the ring, which follow the number of rows that wait. */
  int places() {
    return rows.length;
  }
}
