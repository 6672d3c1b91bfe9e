package org.mortydb.bench.simulated;

/**
 * The costs of a system on a workload.
 *
 * @param server the costs of a server
 * @param client the costs of a client
 */
public record SystemCosts(PlaceCosts server, PlaceCosts client) {
  /** These costs with the kinds of messages that only another measurement has. */
  SystemCosts completed(SystemCosts other) {
    return new SystemCosts(server.completed(other.server), client.completed(other.client));
  }
}
