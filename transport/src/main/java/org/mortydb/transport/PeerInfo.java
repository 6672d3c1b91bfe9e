package org.mortydb.transport;

import org.mortydb.protocol.model.ClientId;

/** A process, as it introduces itself to the peer of a link. */
public sealed interface PeerInfo {

  /**
   * Where the process runs; determines the emulated wide-area delay. Empty if the process does not
   * know.
   */
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

  /**
   * A process that was started from a few addresses and does not know the cluster yet. It may only
   * ask for the layout.
   *
   * @param server its name if it is a server; empty if it is a client
   */
  record Newcomer(String server) implements PeerInfo {
    @Override
    public String region() {
      return "";
    }

    @Override
    public String toString() {
      return server.isEmpty()
          ? "a client that asks for the layout"
          : "server '" + server + "' (asking for the layout)";
    }
  }
}
