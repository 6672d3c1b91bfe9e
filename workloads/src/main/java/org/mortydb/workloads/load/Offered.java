package org.mortydb.workloads.load;

/**
 * What an open loop has offered, from its start to its stop.
 *
 * @param arrivals transactions that were due
 * @param turnedAway those that found too many waiting before them, and were not run
 * @param neverBegun those that still waited for a session at the stop, and were not run
 */
public record Offered(long arrivals, long turnedAway, long neverBegun) {}
