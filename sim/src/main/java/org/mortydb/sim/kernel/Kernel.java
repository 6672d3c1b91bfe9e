package org.mortydb.sim.kernel;

import org.jspecify.annotations.Nullable;

/**
 * Virtual time. Events run one after another in the order of their times; events of equal times run
 * in the order of scheduling. Time stands still while an event runs. Not thread-safe.
 */
public final class Kernel {
  private final EventQueue queue = new EventQueue();
  private long nowMicros;
  private long scheduled;
  private long executed;

  /** Microseconds of virtual time since the start, 0 or more. */
  public long nowMicros() {
    return nowMicros;
  }

  /** The number of events that have run. */
  public long executed() {
    return executed;
  }

  /**
   * Schedules an event after a delay. This replaces an earlier schedule of the event.
   *
   * @param delayMicros 0 or more
   */
  public void schedule(long delayMicros, SimEvent event) {
    if (delayMicros < 0) {
      throw new IllegalArgumentException(
          "an event must not be in the past, but the delay is " + delayMicros + " µs");
    }
    cancel(event);
    event.timeMicros = nowMicros + delayMicros;
    event.sequence = scheduled++;
    queue.add(event);
  }

  /** Schedules a task after a delay. */
  public void schedule(long delayMicros, Runnable task) {
    schedule(
        delayMicros,
        new SimEvent() {
          @Override
          protected void run() {
            task.run();
          }
        });
  }

  /** Cancels an event, if it is scheduled. */
  public void cancel(SimEvent event) {
    if (event.isScheduled()) {
      queue.remove(event);
    }
  }

  /** Runs the next event. Returns false if there is none. */
  public boolean runNext() {
    @Nullable SimEvent event = queue.poll();
    if (event == null) {
      return false;
    }
    nowMicros = event.timeMicros;
    executed++;
    event.run();
    return true;
  }

  /** Runs all events up to and including a time, and advances to that time. */
  public void runUntil(long timeMicros) {
    while (queue.size() > 0 && queue.firstMicros() <= timeMicros && runNext()) {
      // The condition runs the events.
    }
    nowMicros = Math.max(nowMicros, timeMicros);
  }
}
