package org.mortydb.baselines.cluster;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Runs events in the order of their times, and events with the same time in the order in which they
 * were planned.
 */
final class VirtualTime {
  private record Planned(long atMicros, long number, Runnable action) {}

  private final PriorityQueue<Planned> queue =
      new PriorityQueue<>(
          Comparator.comparingLong(Planned::atMicros).thenComparingLong(Planned::number));
  private long nowMicros = 1_000_000_000;
  private long planned;

  long nowMicros() {
    return nowMicros;
  }

  void after(long delayMicros, Runnable action) {
    queue.add(new Planned(nowMicros + delayMicros, planned++, action));
  }

  void runNext() {
    Planned next = queue.remove();
    nowMicros = next.atMicros;
    next.action.run();
  }
}
