package org.mortydb.protocol.table;

import java.util.Arrays;

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
      rows = unrolled(rows);
      times = unrolled(times);
      head = 0;
    }
    int end = (head + size++) & (rows.length - 1);
    rows[end] = row;
    times[end] = time;
  }

  /** The time of the first row; the queue is not empty. */
  public long firstTime() {
    return times[head];
  }

  /** Removes the first row; the queue is not empty. */
  public int poll() {
    int row = rows[head];
    head = (head + 1) & (rows.length - 1);
    size--;
    return row;
  }

  private int[] unrolled(int[] ring) {
    int[] grown = Arrays.copyOfRange(ring, head, head + 2 * ring.length);
    System.arraycopy(ring, 0, grown, ring.length - head, head);
    return grown;
  }

  private long[] unrolled(long[] ring) {
    long[] grown = Arrays.copyOfRange(ring, head, head + 2 * ring.length);
    System.arraycopy(ring, 0, grown, ring.length - head, head);
    return grown;
  }
}
