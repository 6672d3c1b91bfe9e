package org.mortydb.bench.simulated;

/**
 * The costs of a system on a workload.
 *
 * @param server the costs of a server
 * @param client the costs of a client
 */
public record SystemCosts(PlaceCosts server, PlaceCosts client) {}
