package org.mortydb.sim.kernel;

/** Something that happens at a moment of virtual time. One object may be scheduled many times. */
public abstract class SimEvent {
  static final int IDLE = -1;

  long timeMicros;
  long sequence;

  /** Place in the queue, or {@link #IDLE}. */
  int position = IDLE;

  /** Happens. Called by the kernel, at the moment for which the event was scheduled. */
  protected abstract void run();

  /** Whether it is going to happen. */
  public final boolean isScheduled() {
    return position != IDLE;
  }
}
