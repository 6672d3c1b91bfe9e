package org.mortydb.config;

import org.jspecify.annotations.Nullable;

/**
 * A server of the cluster. Others connect to its advertised addresses. The server itself listens on
 * addresses that may differ from them, such as behind a load balancer or in a container.
 *
 * @param name unique in the cluster
 * @param region the region in which it runs
 * @param host the name or address to which others connect
 * @param port the port to which others connect
 * @param listen where the server listens
 * @param admin the HTTP address that administrators and other servers use; null if it has none
 * @param adminListen where the server listens for HTTP; null exactly if {@code admin} is
 */
public record ServerSpec(
    String name,
    String region,
    String host,
    int port,
    Address listen,
    @Nullable Address admin,
    @Nullable Address adminListen) {

  /** A server that listens where others connect, without an admin address. */
  public ServerSpec(String name, String region, String host, int port) {
    this(name, region, host, port, new Address(host, port), null, null);
  }

  /** The host and port to which others connect, as in the configuration. */
  public String address() {
    return new Address(host, port).toString();
  }

  /** The advertised address as a part of a sentence; empty if the server listens there. */
  public String advertisedText() {
    return address().equals(listen.toString()) ? "" : ", is reached at " + address() + ",";
  }
}
