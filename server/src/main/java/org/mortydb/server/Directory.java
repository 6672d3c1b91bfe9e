package org.mortydb.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkTraffic;
import org.mortydb.transport.PeerInfo;

/** Who is where: shared by the event loops of a server, safe for all of them. */
final class Directory {
  private final ClusterConfig config;

  /** The partitions' hosts, null where the partition is not held here. Filled before it is used. */
  private final @Nullable PartitionHost[] hosts;

  private final ConcurrentHashMap<ClientId, Link> clients = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Link> servers = new ConcurrentHashMap<>();

  /** What went over the links of clients, and of servers that connected here, that are gone. */
  private final AtomicReference<LinkTraffic> formerClients =
      new AtomicReference<>(LinkTraffic.NONE);

  private final ConcurrentHashMap<String, LinkTraffic> formerServers = new ConcurrentHashMap<>();

  Directory(ClusterConfig config) {
    this.config = config;
    this.hosts = new @Nullable PartitionHost[config.partitions()];
  }

  ClusterConfig config() {
    return config;
  }

  void add(PartitionHost host) {
    hosts[host.replica().partition()] = host;
  }

  /** The host of a replica, or null if it is not held here. */
  @Nullable PartitionHost host(ReplicaId replica) {
    int partition = replica.partition();
    PartitionHost host = partition < hosts.length ? hosts[partition] : null;
    return host != null && host.replica().index() == replica.index() ? host : null;
  }

  /** The link to a client, or null. */
  @Nullable Link linkTo(ClientId client) {
    return clients.get(client);
  }

  /** The link to the server of a replica that is not held here, or null. */
  @Nullable Link linkTo(ReplicaId replica) {
    return config.hasReplica(replica) ? servers.get(config.serverOf(replica).name()) : null;
  }

  /** The other servers that a partition has replicas on and that no link leads to. */
  List<String> unlinked(int partition) {
    List<String> names = new ArrayList<>();
    for (int index = 0; index < 2 * config.f() + 1; index++) {
      ReplicaId replica = new ReplicaId(partition, index);
      if (host(replica) == null && linkTo(replica) == null) {
        names.add(config.serverOf(replica).name());
      }
    }
    return names;
  }

  /**
   * Enters a link that is up. If the peer has another one, left over from an earlier connection,
   * that is closed.
   */
  void enter(Link link, PeerInfo peer) {
    Link before =
        switch (peer) {
          case PeerInfo.Client client -> clients.put(client.id(), link);
          case PeerInfo.Server server -> servers.put(server.name(), link);
        };
    if (before != null && !before.equals(link)) {
      before.eventLoop().execute(before::close);
    }
  }

  /** Removes a link that is down, unless another one has taken its place. */
  void remove(Link link) {
    LinkTraffic traffic = link.counters().traffic();
    switch (link.peer()) {
      case PeerInfo.Client client -> {
        clients.remove(client.id(), link);
        formerClients.accumulateAndGet(traffic, LinkTraffic::plus);
      }
      case PeerInfo.Server server -> {
        servers.remove(server.name(), link);
        formerServers.merge(server.name(), traffic, LinkTraffic::plus);
      }
      case null -> {}
    }
  }

  // ---- for the status -----------------------------------------------------------------------

  /** The link to a server that is up, or null. */
  @Nullable Link linkTo(ServerSpec server) {
    return servers.get(server.name());
  }

  int clients() {
    return clients.size();
  }

  /** What went over the links of all clients so far. */
  LinkTraffic clientTraffic() {
    LinkTraffic traffic = formerClients.get();
    for (Link link : clients.values()) {
      traffic = traffic.plus(link.counters().traffic());
    }
    return traffic;
  }

  /** What went so far over the links that a server has made to here. */
  LinkTraffic trafficFrom(ServerSpec server) {
    LinkTraffic former = formerServers.getOrDefault(server.name(), LinkTraffic.NONE);
    Link link = servers.get(server.name());
    return link == null ? former : former.plus(link.counters().traffic());
  }
}
