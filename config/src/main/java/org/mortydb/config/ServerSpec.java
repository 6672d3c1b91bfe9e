package org.mortydb.config;

import org.jspecify.annotations.Nullable;

/**
 * A server of the cluster.
 *
 * @param name unique in the cluster
 * @param region the region in which it runs
 * @param host the name or address at which it listens
 * @param port the port at which it listens
 * @param admin its HTTP address for administrators; null if it has none
 */
public record ServerSpec(
    String name, String region, String host, int port, @Nullable Address admin) {

  /** A server without an admin address. */
  public ServerSpec(String name, String region, String host, int port) {
    this(name, region, host, port, null);
  }

  /** Host and port as in the configuration. */
  public String address() {
    return new Address(host, port).toString();
  }
}
