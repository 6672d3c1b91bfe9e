package org.mortydb.workloads.load;

import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The clock of a load, and its way to wait: the machine's, or the virtual time of a simulation,
 * which advances while a thread waits.
 */
public interface LoadClock {

  /** The machine's clock and threads. */
  LoadClock WALL = new MachineClock();

  /** Nanoseconds since a fixed moment, as {@link System#nanoTime}. Any thread may call it. */
  long nanos();

  /** Waits for a number of nanoseconds. For the thread that runs the load. */
  void sleep(long nanos) throws InterruptedException;

  /**
   * Runs a task after a delay, on some thread.
   *
   * @param delayMicros microseconds, 0 or more
   */
  void after(long delayMicros, Runnable task);

  /**
   * Runs a task at each of the moments that {@code next} returns, or as soon after it as possible,
   * until {@code stopped} returns true.
   *
   * @param next called once for each moment, in nanoseconds of {@link #nanos} that never decrease
   * @param task receives the moment for which it is called; calls do not overlap
   * @return ends a wait early, once {@code stopped} returns true
   */
  Runnable pace(LongSupplier next, LongConsumer task, BooleanSupplier stopped);

  /** The interval between updates of live figures, in nanoseconds. */
  default long displayNanos() {
    return 1_000_000_000L;
  }
}
