package org.mortydb.server;

import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.Identity;
import org.mortydb.config.Right;
import org.mortydb.config.ServerSpec;
import org.mortydb.transport.PeerInfo;

/**
 * Decides which peers may connect to a server. Cluster, version and certificate have been checked
 * before.
 */
final class Admission {
  private Admission() {}

  /** Returns why a peer is refused, as a sentence for the peer's operator; null to admit it. */
  static @Nullable String refusal(
      ClusterConfig config,
      ServerMaps maps,
      ServerSpec self,
      PeerInfo peer,
      @Nullable Identity identity) {
    String here = "the configuration of server '" + self.name() + "'";
    if (peer instanceof PeerInfo.Newcomer(String server) && !server.isEmpty()) {
      return refusalOfServer(config, maps, self, peer, server, here);
    }
    if (!(peer instanceof PeerInfo.Newcomer) && !config.regions().contains(peer.region())) {
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
      return config.security().authorization().of(identity) == Right.NONE
          ? identity + " has no right in server.authorization of " + here + ", not even to read"
          : null;
    }
    String refusal = refusalOfServer(config, maps, self, peer, name, here);
    ServerSpec known = maps.member(name);
    if (refusal != null || known == null) {
      return refusal;
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

  private static @Nullable String refusalOfServer(
      ClusterConfig config,
      ServerMaps maps,
      ServerSpec self,
      PeerInfo peer,
      String name,
      String here) {
    ServerSpec known = maps.member(name);
    if (known == null && config.changes()) {
      return maps.hasLeft(name)
          ? maps.leftText(peer.toString())
          : peer
              + " is not in the cluster, as far as server '"
              + self.name()
              + "' knows: let it join with 'morty servers add'";
    }
    if (known == null) {
      return peer + " is not in " + here + ": give both sides the same configuration file";
    }
    return name.equals(self.name())
        ? peer + " is the name of this server: two processes must not run under one name"
        : null;
  }
}
