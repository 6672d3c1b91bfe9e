package org.mortydb.server;

import org.jspecify.annotations.Nullable;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.config.ClusterConfig;
import org.mortydb.transport.config.ServerSpec;

/** Decides who may connect to a server, once cluster and version are known to agree. */
final class Admission {
  private Admission() {}

  /** One sentence for the peer's operator why it is not wanted, or null. */
  static @Nullable String refusal(ClusterConfig config, ServerSpec self, PeerInfo peer) {
    String here = "the configuration of server '" + self.name() + "'";
    if (!config.regions().contains(peer.region())) {
      return "region '"
          + peer.region()
          + "' of "
          + peer
          + " is not in "
          + here
          + ", which has "
          + String.join(", ", config.regions());
    }
    if (!(peer instanceof PeerInfo.Server(String name, String region))) {
      return null;
    }
    ServerSpec known = config.server(name);
    if (known == null) {
      return peer + " is not in " + here + ": give both sides the same configuration file";
    }
    if (known.equals(self)) {
      return peer + " is the name of this server: two processes must not run under one name";
    }
    if (!known.region().equals(region)) {
      return peer
          + " says it is in region '"
          + region
          + "', in "
          + here
          + " it is in '"
          + known.region()
          + "': give both sides the same configuration file";
    }
    return null;
  }
}
