package org.mortydb.bench.simulated;

/**
 * What one system has to do on one workload.
 *
 * @param server at a server
 * @param client at a client
 */
public record SystemCosts(PlaceCosts server, PlaceCosts client) {}
