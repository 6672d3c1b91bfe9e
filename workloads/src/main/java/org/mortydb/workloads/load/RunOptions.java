package org.mortydb.workloads.load;

import java.util.OptionalDouble;

/**
 * How a load is run.
 *
 * @param sessions how many transactions run at a time, at least 1
 * @param ratePerSecond transactions per second of an open loop; empty for a closed one
 * @param arrivals how an open loop's transactions follow one another
 * @param warmupSeconds what runs before the window, 0 or more
 * @param seconds the window, greater than 0
 * @param seed decides all that is drawn
 */
public record RunOptions(
    int sessions,
    OptionalDouble ratePerSecond,
    Arrivals arrivals,
    double warmupSeconds,
    double seconds,
    long seed) {}
