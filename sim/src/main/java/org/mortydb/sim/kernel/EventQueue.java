package org.mortydb.sim.kernel;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Events by time, and in the order of scheduling where times are equal: a heap of four children per
 * node. Times are kept beside the events, so that most comparisons need not touch the events;
 * events know their place, so that timers can be taken out.
 */
final class EventQueue {
  private static final int CHILDREN = 4;

  private long[] times = new long[1024];
  private @Nullable SimEvent[] events = new SimEvent[1024];
  private int size;

  int size() {
    return size;
  }

  /** Adds an event that is not in the queue; its time and sequence are set. */
  void add(SimEvent event) {
    if (size == times.length) {
      times = Arrays.copyOf(times, 2 * size);
      events = Arrays.copyOf(events, 2 * size);
    }
    siftUp(size++, event);
  }

  /** Takes the first event out, or returns null. */
  @Nullable SimEvent poll() {
    if (size == 0) {
      return null;
    }
    SimEvent first = at(0);
    remove(first);
    return first;
  }

  /** The first event's time; the queue must not be empty. */
  long firstMicros() {
    return times[0];
  }

  /** Takes an event out that is in the queue. */
  void remove(SimEvent event) {
    int hole = event.position;
    event.position = SimEvent.IDLE;
    size--;
    SimEvent last = at(size);
    events[size] = null;
    if (hole != size) {
      siftUp(siftDown(hole, last), last);
    }
  }

  private int siftUp(int from, SimEvent event) {
    int hole = from;
    while (hole > 0) {
      int parent = (hole - 1) / CHILDREN;
      if (!isBefore(event.timeMicros, event, parent)) {
        break;
      }
      place(hole, at(parent));
      hole = parent;
    }
    place(hole, event);
    return hole;
  }

  private int siftDown(int from, SimEvent event) {
    int hole = from;
    while (true) {
      int child = CHILDREN * hole + 1;
      if (child >= size) {
        break;
      }
      int best = child;
      int end = Math.min(child + CHILDREN, size);
      for (int other = child + 1; other < end; other++) {
        if (isBefore(times[other], at(other), best)) {
          best = other;
        }
      }
      if (isBefore(event.timeMicros, event, best)) {
        break;
      }
      place(hole, at(best));
      hole = best;
    }
    place(hole, event);
    return hole;
  }

  private boolean isBefore(long timeMicros, SimEvent event, int place) {
    return timeMicros < times[place]
        || (timeMicros == times[place] && event.sequence < at(place).sequence);
  }

  private void place(int place, SimEvent event) {
    times[place] = event.timeMicros;
    events[place] = event;
    event.position = place;
  }

  @SuppressWarnings("NullAway") // places below the size hold events
  private SimEvent at(int place) {
    return events[place];
  }
}
