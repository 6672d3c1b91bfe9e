package org.mortydb.sim.kernel;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Events in the order of their times; events of equal times keep the order of scheduling. A heap
 * with four children per node. Times are stored beside the events, so that most comparisons do not
 * touch events. Events know their positions, so that timers can be removed.
 */
final class EventQueue {
  private static final int CHILDREN = 4;

  private long[] times = new long[1024];
  private @Nullable SimEvent[] events = new SimEvent[1024];
  private int size;

  int size() {
    return size;
  }

  /** Adds an event, whose time and sequence are set. It must not be in the queue. */
  void add(SimEvent event) {
    if (size == times.length) {
      times = Arrays.copyOf(times, 2 * size);
      events = Arrays.copyOf(events, 2 * size);
    }
    siftUp(size++, event);
  }

  /** Removes the first event; null if there is none. */
  @Nullable SimEvent poll() {
    if (size == 0) {
      return null;
    }
    SimEvent first = at(0);
    remove(first);
    return first;
  }

  /** The time of the first event. The queue must not be empty. */
  long firstMicros() {
    return times[0];
  }

  /** Removes an event, which must be in the queue. */
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
