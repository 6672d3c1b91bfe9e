package org.mortydb.config;

import org.jspecify.annotations.Nullable;

/**
 * A server of the cluster.
 *
 * @param name unique in the cluster
 * @param region where it runs
 * @param host where it listens: a name, or an address
 * @param port where it listens
 * @param admin where it answers administrators over HTTP; null if it does not
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
