package org.mortydb.bench.simulated;

import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimEvent;
import org.mortydb.workloads.load.LoadClock;

/**
 * Virtual time, which passes while the thread of the load waits. Events have microseconds; within
 * the turn of an event loop the resolution is a nanosecond. Not thread-safe.
 */
final class VirtualClock implements LoadClock {
  static final long NANOS_PER_MICRO = 1_000;
  private static final long DISPLAY_NANOS = 100_000_000L;
  private static final long NO_TURN = -1;

  private final Kernel kernel;
  private long turnNanos = NO_TURN;

  VirtualClock(Kernel kernel) {
    this.kernel = kernel;
  }

  Kernel kernel() {
    return kernel;
  }

  @Override
  public long nanos() {
    return turnNanos == NO_TURN ? kernel.nowMicros() * NANOS_PER_MICRO : turnNanos;
  }

  /** Whether an event loop is in a turn. */
  boolean inTurn() {
    return turnNanos != NO_TURN;
  }

  /** Sets the time within a turn. */
  void turnTo(long nanos) {
    turnNanos = nanos;
  }

  void endTurn() {
    turnNanos = NO_TURN;
  }

  /** Schedules an event at a time, not before now, rounded up to microseconds. */
  void scheduleAt(long nanos, SimEvent event) {
    kernel.schedule(Math.max(0, microsUp(nanos) - kernel.nowMicros()), event);
  }

  static long microsUp(long nanos) {
    return (nanos + NANOS_PER_MICRO - 1) / NANOS_PER_MICRO;
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    kernel.runUntil(kernel.nowMicros() + microsUp(nanos));
  }

  @Override
  public void after(long delayMicros, Runnable task) {
    scheduleAt(
        nanos() + delayMicros * NANOS_PER_MICRO,
        new SimEvent() {
          @Override
          protected void run() {
            task.run();
          }
        });
  }

  @Override
  public Runnable pace(LongSupplier next, LongConsumer task, BooleanSupplier stopped) {
    Pacing pacing = new Pacing(next, task, stopped);
    scheduleAt(pacing.due, pacing);
    return () -> kernel.cancel(pacing);
  }

  /** Runs a task at a sequence of times. */
  private final class Pacing extends SimEvent {
    private final LongSupplier next;
    private final LongConsumer task;
    private final BooleanSupplier stopped;
    private long due;

    Pacing(LongSupplier next, LongConsumer task, BooleanSupplier stopped) {
      this.next = next;
      this.task = task;
      this.stopped = stopped;
      this.due = next.getAsLong();
    }

    @Override
    protected void run() {
      if (!stopped.getAsBoolean()) {
        task.accept(due);
        due = next.getAsLong();
        scheduleAt(due, this);
      }
    }
  }

  @Override
  public long displayNanos() {
    return DISPLAY_NANOS;
  }
}
