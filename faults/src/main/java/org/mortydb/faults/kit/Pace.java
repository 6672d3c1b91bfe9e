package org.mortydb.faults.kit;

import java.util.random.RandomGenerator;

/** Intervals between faults: each is half to one and a half times as long as the average. */
public final class Pace {
  private Pace() {}

  /** Draws the next interval, in nanoseconds. */
  public static long nanos(double averageSeconds, RandomGenerator random) {
    return (long) (averageSeconds * 1e9 * (0.5 + random.nextDouble()));
  }
}
