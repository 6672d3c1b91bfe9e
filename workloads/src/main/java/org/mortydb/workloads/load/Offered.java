package org.mortydb.workloads.load;

/**
 * The arrivals of an open loop, from its start to its stop.
 *
 * @param arrivals transactions that were due
 * @param turnedAway transactions not run because too many were waiting
 * @param neverBegun transactions not run because they still waited for a session at the stop
 */
public record Offered(long arrivals, long turnedAway, long neverBegun) {}
