package org.mortydb.client.net;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.engine.EngineTimer;

/**
 * An engine's timers: a binary heap in which every timer knows its place. So a cancelled timer
 * leaves nothing behind, and most are cancelled. One wake-up of the event loop serves all timers.
 * Used on one thread.
 */
final class TimerQueue {

  /** A timer's record, attached to the timer and used again and again. */
  private static final class Entry {
    private final EngineTimer timer;
    private long deadlineNanos;
    private int place = ABSENT;

    Entry(EngineTimer timer) {
      this.timer = timer;
    }
  }

  private static final int ABSENT = -1;

  private @Nullable Entry[] heap = new Entry[64];
  private int size;

  int size() {
    return size;
  }

  /** The deadline of the earliest timer; {@code otherwise} when there is none. */
  long earliestNanos(long otherwise) {
    return size == 0 ? otherwise : at(0).deadlineNanos;
  }

  void add(EngineTimer timer, long deadlineNanos) {
    Entry entry = (Entry) timer.hostState();
    if (entry == null) {
      entry = new Entry(timer);
      timer.hostState(entry);
    }
    if (entry.place != ABSENT) {
      throw new IllegalStateException("the timer is scheduled already");
    }
    entry.deadlineNanos = deadlineNanos;
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    siftUp(entry, size++);
  }

  void remove(EngineTimer timer) {
    if (timer.hostState() instanceof Entry entry && entry.place != ABSENT) {
      remove(entry);
    }
  }

  /** Takes the earliest timer out if it is due, else null. */
  @Nullable EngineTimer poll(long nowNanos) {
    if (size == 0 || at(0).deadlineNanos - nowNanos > 0) {
      return null;
    }
    Entry first = at(0);
    remove(first);
    return first.timer;
  }

  private void remove(Entry entry) {
    int place = entry.place;
    entry.place = ABSENT;
    Entry last = at(--size);
    heap[size] = null;
    if (place == size) {
      return;
    }
    if (place > 0 && isBefore(last, at((place - 1) / 2))) {
      siftUp(last, place);
    } else {
      siftDown(last, place);
    }
  }

  private void siftUp(Entry entry, int from) {
    int place = from;
    while (place > 0) {
      int parent = (place - 1) / 2;
      if (!isBefore(entry, at(parent))) {
        break;
      }
      put(at(parent), place);
      place = parent;
    }
    put(entry, place);
  }

  private void siftDown(Entry entry, int from) {
    int place = from;
    while (2 * place + 1 < size) {
      int child = 2 * place + 1;
      if (child + 1 < size && isBefore(at(child + 1), at(child))) {
        child++;
      }
      if (!isBefore(at(child), entry)) {
        break;
      }
      put(at(child), place);
      place = child;
    }
    put(entry, place);
  }

  private void put(Entry entry, int place) {
    heap[place] = entry;
    entry.place = place;
  }

  @SuppressWarnings("NullAway") // places below the size are filled
  private Entry at(int place) {
    return heap[place];
  }

  private static boolean isBefore(Entry a, Entry b) {
    return a.deadlineNanos - b.deadlineNanos < 0;
  }
}
