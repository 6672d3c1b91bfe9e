package org.mortydb.workloads.load;

import java.util.OptionalDouble;

/**
 * How a load runs.
 *
 * @param sessions the number of concurrent transactions, at least 1
 * @param ratePerSecond transactions per second of an open loop; empty for a closed loop
 * @param arrivals the distribution of an open loop's arrivals
 * @param warmupSeconds the time before the window, 0 or more
 * @param seconds the length of the window, greater than 0
 * @param seed the seed of all random choices
 * @param style the style of the transactions
 */
public record RunOptions(
    int sessions,
    OptionalDouble ratePerSecond,
    Arrivals arrivals,
    double warmupSeconds,
    double seconds,
    long seed,
    Style style) {

  /** A load of transactions in the continuation-passing style. */
  public RunOptions(
      int sessions,
      OptionalDouble ratePerSecond,
      Arrivals arrivals,
      double warmupSeconds,
      double seconds,
      long seed) {
    this(sessions, ratePerSecond, arrivals, warmupSeconds, seconds, seed, Style.CONTINUATIONS);
  }

  /** These options with another rate. */
  public RunOptions withRate(OptionalDouble newRatePerSecond) {
    return new RunOptions(
        sessions, newRatePerSecond, arrivals, warmupSeconds, seconds, seed, style);
  }

  /** These options with another warm-up. */
  RunOptions withWarmup(double newWarmupSeconds) {
    return new RunOptions(
        sessions, ratePerSecond, arrivals, newWarmupSeconds, seconds, seed, style);
  }

  /** A closed loop with the same seed and style. */
  RunOptions closed(int clients, double newWarmupSeconds, double newSeconds) {
    return new RunOptions(
        clients, OptionalDouble.empty(), arrivals, newWarmupSeconds, newSeconds, seed, style);
  }
}
