package org.mortydb.workloads.load;

/**
 * The arrivals of an open loop, from its start to its stop.
 *
 * @param perSecond the mean rate of the arrivals
 * @param arrivals transactions that were due
 * @param turnedAway transactions not run because too many were waiting
 * @param neverBegun transactions not run because they still waited for a session at the stop
 */
public record Offered(double perSecond, long arrivals, long turnedAway, long neverBegun) {}
