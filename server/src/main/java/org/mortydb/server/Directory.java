package org.mortydb.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.Right;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkTraffic;
import org.mortydb.transport.LongestSlots;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.Question;
import org.mortydb.transport.Reply;

/** The replicas and links of a server. Its event loops share it; safe for any thread. */
final class Directory {
  /** Maps of so many bytes fit in an answer. */
  private static final int MOST_BYTES = 512 * 1024;

  private final ClusterConfig config;
  private final ServerMaps maps;

  /** The hosts by partition; null if this server does not hold it. */
  private final AtomicReferenceArray<@Nullable PartitionHost> hosts;

  private final ConcurrentHashMap<ClientId, Link> clients = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Link> servers = new ConcurrentHashMap<>();

  /** The traffic of links from clients that are closed. */
  private final AtomicReference<LinkTraffic> formerClients =
      new AtomicReference<>(LinkTraffic.NONE);

  /** The traffic of links from other servers that are closed, by server. */
  private final ConcurrentHashMap<String, LinkTraffic> formerServers = new ConcurrentHashMap<>();

  private final LongestSlots slots = new LongestSlots();
  private volatile @Nullable ClusterVersion version;

  private final ConcurrentHashMap<String, LinkHistory> histories = new ConcurrentHashMap<>();

  Directory(ClusterConfig config, ServerSpec self) {
    this.config = config;
    this.maps = new ServerMaps(config, self);
    this.hosts =
        new AtomicReferenceArray<>(config.changes() ? Limits.MAX_PARTITIONS : config.partitions());
  }

  ClusterConfig config() {
    return config;
  }

  /** The region slots that clients would use. */
  LongestSlots slots() {
    return slots;
  }

  /** What this server knows of the maps of its cluster. */
  ServerMaps maps() {
    return maps;
  }

  /** Whether a replica may be one of a map that this server does not know yet. */
  boolean isOfUnknownMap(ReplicaId replica) {
    return config.changes() && maps.serverOf(replica) == null;
  }

  /** Returns the version of the cluster; null before the server listens. */
  @Nullable ClusterVersion version() {
    return version;
  }

  /** Sets the version of the cluster. Call it before the server listens. */
  void version(ClusterVersion newVersion) {
    version = newVersion;
  }

  /**
   * Answers a question.
   *
   * @param right the right of whoever asks
   */
  CompletableFuture<Reply> answer(Question question, Right right) {
    ClusterVersion known = version;
    if (known == null) {
      return CompletableFuture.completedFuture(new Reply.Refused("the server is starting"));
    }
    return switch (question) {
      case Question.AskLayout() ->
          CompletableFuture.completedFuture(new Reply.Shared(config.shared(maps.history().last())));
      case Question.AskMaps(int last) -> CompletableFuture.completedFuture(mapsFrom(last));
      case Question.AskVersions() -> CompletableFuture.completedFuture(known.versions());
      case Question.UseVersion(int wanted) ->
          right.implies(Right.ADMIN)
              ? known.raise(wanted)
              : CompletableFuture.completedFuture(
                  new Reply.Refused(
                      "raising the version requires the right 'admin', this client has '"
                          + right
                          + "': see server.authorization"));
    };
  }

  /** The last map always is among them: it says how the change to it has ended. */
  private Reply mapsFrom(int last) {
    MapHistory known = maps.history();
    List<ClusterMap> told = new ArrayList<>();
    int bytes = 0;
    for (ClusterMap map : known.maps()) {
      bytes += map.number() > 0 && map.number() >= last ? map.bytes().length : 0;
      if (map.number() > 0 && map.number() >= last && (told.isEmpty() || bytes < MOST_BYTES)) {
        told.add(map);
      }
    }
    boolean all = told.isEmpty() || told.getLast().equals(known.last());
    return new Reply.Maps(told, all ? known.closed() : 0);
  }

  void add(PartitionHost host) {
    hosts.set(host.replica().partition(), host);
  }

  void remove(PartitionHost host) {
    hosts.set(host.replica().partition(), null);
  }

  /** Returns the host of a replica; null if this server does not hold it. */
  @Nullable PartitionHost host(ReplicaId replica) {
    int partition = replica.partition();
    PartitionHost host = partition >= 0 && partition < hosts.length() ? hosts.get(partition) : null;
    return host != null && host.replica().index() == replica.index() ? host : null;
  }

  /** Returns the link to a client; null if there is none. */
  @Nullable Link linkTo(ClientId client) {
    return clients.get(client);
  }

  /** Returns the link to the server of a replica; null if there is none. */
  @Nullable Link linkTo(ReplicaId replica) {
    String server = maps.serverOf(replica);
    return server == null ? null : servers.get(server);
  }

  /** Returns the servers with replicas of a partition to which there is no link. */
  List<String> unlinked(int partition) {
    List<String> names = new ArrayList<>();
    for (int index = 0; index < maps.replicas(partition); index++) {
      ReplicaId replica = new ReplicaId(partition, index);
      String server = maps.serverOf(replica);
      if (server != null && host(replica) == null && linkTo(replica) == null) {
        names.add(server);
      }
    }
    return names;
  }

  /**
   * Adds a link that is up. Closes the link of an earlier connection of the same peer, if there is
   * one.
   */
  void enter(Link link, PeerInfo peer) {
    Link before =
        switch (peer) {
          case PeerInfo.Client client -> clients.put(client.id(), link);
          case PeerInfo.Server server -> {
            history(server.name()).onUp();
            yield servers.put(server.name(), link);
          }
          case PeerInfo.Newcomer newcomer ->
              throw new IllegalArgumentException(newcomer.toString());
        };
    if (before != null && !before.equals(link)) {
      before.eventLoop().execute(before::close);
    }
  }

  /** Removes a link that is down, unless another link has replaced it. */
  void remove(Link link) {
    LinkTraffic traffic = link.counters().traffic();
    switch (link.peer()) {
      case PeerInfo.Client client -> {
        clients.remove(client.id(), link);
        formerClients.accumulateAndGet(traffic, LinkTraffic::plus);
      }
      case PeerInfo.Server server -> {
        if (servers.remove(server.name(), link)) {
          history(server.name()).onDown();
        }
        formerServers.merge(server.name(), traffic, LinkTraffic::plus);
      }
      case PeerInfo.Newcomer newcomer -> {}
      case null -> {}
    }
  }

  /** Returns the history of the links to a server. */
  LinkHistory history(String server) {
    return histories.computeIfAbsent(server, name -> new LinkHistory());
  }

  // ---- for the status -----------------------------------------------------------------------

  /** Returns the link to a server; null if it is down. */
  @Nullable Link linkTo(ServerSpec server) {
    return servers.get(server.name());
  }

  /** Returns the links to other servers that are up, by server. */
  Map<String, Link> serverLinks() {
    return Map.copyOf(servers);
  }

  int clients() {
    return clients.size();
  }

  /** Returns the traffic of all clients so far. */
  LinkTraffic clientTraffic() {
    LinkTraffic traffic = formerClients.get();
    for (Link link : clients.values()) {
      traffic = traffic.plus(link.counters().traffic());
    }
    return traffic;
  }

  /** Returns the traffic so far of the links that a server has opened to this one. */
  LinkTraffic trafficFrom(ServerSpec server) {
    LinkTraffic former = formerServers.getOrDefault(server.name(), LinkTraffic.NONE);
    Link link = servers.get(server.name());
    return link == null ? former : former.plus(link.counters().traffic());
  }
}
