package org.mortydb.sim.kernel;

import org.jspecify.annotations.Nullable;

/**
 * Virtual time. Events run one after the other in the order of their times, and of their scheduling
 * where times are equal; time stands still while one runs. One thread.
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

  /** The number of events so far. */
  public long executed() {
    return executed;
  }

  /** The number of events to come. */
  public int pending() {
    return queue.size();
  }

  /**
   * Has an event happen after a delay; if it was already going to happen, then instead of that.
   *
   * @param delayMicros 0 or more
   */
  public void schedule(long delayMicros, SimEvent event) {
    if (delayMicros < 0) {
      throw new IllegalArgumentException("an event " + -delayMicros + " µs in the past");
    }
    cancel(event);
    event.timeMicros = nowMicros + delayMicros;
    event.sequence = scheduled++;
    queue.add(event);
  }

  /** Has something happen after a delay, once. */
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

  /** Has an event not happen, if it was going to. */
  public void cancel(SimEvent event) {
    if (event.isScheduled()) {
      queue.remove(event);
    }
  }

  /** Runs the next event; false when there is none. */
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

  /** Runs all events up to a moment and including it, and lets time pass until then. */
  public void runUntil(long timeMicros) {
    while (queue.size() > 0 && queue.firstMicros() <= timeMicros) {
      if (!runNext()) {
        break;
      }
    }
    nowMicros = Math.max(nowMicros, timeMicros);
  }
}
