package org.mortydb.transport;

import org.mortydb.protocol.model.ClientId;

/** A process, as it introduces itself to the peer of a link. */
public sealed interface PeerInfo {

  /** Where the process runs; determines the emulated wide-area delay. */
  String region();

  /**
   * A server.
   *
   * @param name its name in the cluster's configuration
   */
  record Server(String name, String region) implements PeerInfo {
    @Override
    public String toString() {
      return "server '" + name + "'";
    }
  }

  /**
   * A client.
   *
   * @param id unique per start of the process
   */
  record Client(ClientId id, String region) implements PeerInfo {
    @Override
    public String toString() {
      return "client " + Long.toHexString(id.id());
    }
  }
}
