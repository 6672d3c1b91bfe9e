package org.mortydb.sim.kernel;

/** An event of virtual time. It may be scheduled many times, one at a time. */
public abstract class SimEvent {
  static final int IDLE = -1;

  long timeMicros;
  long sequence;

  /** The position in the queue, or {@link #IDLE}. */
  int position = IDLE;

  /** Runs the event. The kernel calls this at the scheduled time. */
  protected abstract void run();

  /** Whether the event is in the queue. */
  public final boolean isScheduled() {
    return position != IDLE;
  }
}
