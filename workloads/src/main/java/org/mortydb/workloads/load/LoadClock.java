package org.mortydb.workloads.load;

import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The time that a load goes by, and how it waits: that of the machine, or the virtual time of a
 * simulation, which passes while somebody waits.
 */
public interface LoadClock {

  /** The machine's clock and threads. */
  LoadClock WALL = new MachineClock();

  /** Nanoseconds since some moment, as those of {@link System#nanoTime}. By any thread. */
  long nanos();

  /** Waits for so many nanoseconds. By the thread that runs the load. */
  void sleep(long nanos) throws InterruptedException;

  /**
   * Has something done after a while, by some thread.
   *
   * @param delayMicros microseconds, 0 or more
   */
  void after(long delayMicros, Runnable task);

  /**
   * Has something done at each of the moments that {@code next} yields, or as soon after it as is
   * possible, until {@code stopped} says so.
   *
   * @param next called once for each moment, in nanoseconds of {@link #nanos} that never decrease
   * @param task gets the moment for which it is called; calls are made one after the other
   * @return ends a wait early, once {@code stopped} says so
   */
  Runnable pace(LongSupplier next, LongConsumer task, BooleanSupplier stopped);

  /** How often live figures are shown, in nanoseconds. */
  default long displayNanos() {
    return 1_000_000_000L;
  }
}
