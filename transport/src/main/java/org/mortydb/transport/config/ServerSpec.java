package org.mortydb.transport.config;

/**
 * A server of the cluster.
 *
 * @param name unique in the cluster
 * @param region where it runs
 * @param host where it listens: a name, or an address
 * @param port where it listens
 */
public record ServerSpec(String name, String region, String host, int port) {

  /** Host and port as in the configuration. */
  public String address() {
    return new Address(host, port).toString();
  }
}
