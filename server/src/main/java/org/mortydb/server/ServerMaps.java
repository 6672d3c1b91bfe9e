package org.mortydb.server;

import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.RememberedCluster;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server knows of the maps of its cluster (docs/protocol.md, section 15): on which server
 * each replica is, and which replicas of new partitions this server has to start and to end. Safe
 * for any thread.
 *
 * <p>Nothing of it is stored here. The first record of a replica of a new partition has the map in
 * which it is new. All else the replicas remember, or learn again.
 */
final class ServerMaps {
  private static final Logger log = LoggerFactory.getLogger(ServerMaps.class);

  /** How many proposed maps that are not known to have ended a server takes part in. */
  private static final int MOST_PROPOSED = 4;

  /** Starts and ends replicas of new partitions. Called by one thread at a time. */
  interface Hosting {
    /** Starts a replica of a partition that is new in a map. */
    void start(ReplicaId replica, ClusterMap map, MapHistory history);

    /** Ends a replica of a partition that will never be. */
    void end(ReplicaId replica);

    /** The replicas of this server may not know these maps yet. */
    void told(MapHistory history);

    /** The servers of the cluster are these from now on. */
    void members(List<ServerSpec> servers);
  }

  private final ClusterConfig config;
  private final ServerSpec self;

  /** Null until the server starts to serve: then replicas are created by what is restored. */
  private @Nullable Hosting hosting;

  private MapHistory history;

  /** The maps that are not decided, as far as this server knows, by number. */
  private final TreeMap<Integer, ClusterMap> proposed = new TreeMap<>();

  /** The replicas of new partitions that are here. */
  private final Set<ReplicaId> hosted = new HashSet<>();

  /** The servers of each partition of any map; replaced as a whole. */
  private volatile Map<Integer, List<String>> servers = Map.of();

  /** The servers that are in the cluster, by name; replaced as a whole. */
  private volatile Map<String, ServerSpec> members = Map.of();

  ServerMaps(ClusterConfig config, ServerSpec self) {
    this.config = config;
    this.self = self;
    this.history = new MapHistory(config.firstMap());
    route();
  }

  /** The maps that this server knows. */
  synchronized MapHistory history() {
    return history;
  }

  /** The maps that are proposed, as far as this server takes part in them, ascending. */
  synchronized List<ClusterMap> proposed() {
    return List.copyOf(proposed.values());
  }

  /** The server that has a replica under any map; null if there is no such replica. */
  @Nullable String serverOf(ReplicaId replica) {
    List<String> names = servers.get(replica.partition());
    return names != null && replica.index() >= 0 && replica.index() < names.size()
        ? names.get(replica.index())
        : null;
  }

  /** How many replicas a partition has under any map; 0 if it is unknown. */
  int replicas(int partition) {
    List<String> names = servers.get(partition);
    return names == null ? 0 : names.size();
  }

  /** The server of a name, if it is in the cluster; otherwise null. */
  @Nullable ServerSpec member(String name) {
    return members.get(name);
  }

  /** The servers that are in the cluster. */
  List<ServerSpec> members() {
    return List.copyOf(members.values());
  }

  /** Whether a replica is known to be on another server, or not to be. */
  boolean isElsewhere(ReplicaId replica) {
    return servers.containsKey(replica.partition()) && !self.name().equals(serverOf(replica));
  }

  private void route() {
    Map<Integer, List<String>> all = new HashMap<>();
    history.maps().forEach(map -> all.putAll(map.servers()));
    proposed.values().forEach(map -> map.servers().forEach(all::putIfAbsent));
    servers = Map.copyOf(all);
    Map<String, ServerSpec> now = new LinkedHashMap<>();
    config.servers(history.last()).forEach(server -> now.put(server.name(), server));
    boolean others = !now.equals(members);
    members = Collections.unmodifiableMap(now);
    Hosting host = hosting;
    if (others && host != null) {
      host.members(members());
      remember();
    }
  }

  /** For the next start of this server, should those from which it starts have left. */
  private void remember() {
    if (config.changes()) {
      try {
        RememberedCluster.write(config, self.name(), history.last());
      } catch (IOException e) {
        log.warn("server '{}' cannot remember the servers of its cluster", self.name(), e);
      }
    }
  }

  /**
   * A replica of a new partition is restored, or a client asks for one. This server starts it from
   * now on.
   *
   * @return whether the map has the replica on this server, and may follow what is known
   */
  synchronized boolean propose(ReplicaId replica, ClusterMap map) {
    List<String> names = map.servers().get(replica.partition());
    if (names == null
        || replica.index() < 0
        || replica.index() >= names.size()
        || !names.get(replica.index()).equals(self.name())
        || !hears(map)) {
      return false;
    }
    ClusterMap known = history.numbered(map.number());
    startAll(known == null ? map : known);
    return true;
  }

  /**
   * A client tells of a map. If it is a proposed one, its new replicas may copy from here: this
   * server knows then where they are.
   *
   * @return whether this server knows the map, or it may follow what is known
   */
  synchronized boolean hears(ClusterMap map) {
    ClusterMap known = history.numbered(map.number());
    if (known != null) {
      return known.isButForItsCut(map); // the cut may have become earlier
    }
    ClusterMap other = proposed.get(map.number());
    // What is restored has been decided or given up since, which this server does not know yet.
    boolean full = hosting != null && proposed.size() >= MOST_PROPOSED;
    if (map.number() <= history.closed()
        || map.number() <= history.last().number()
        || (other == null ? full : !other.isButForItsCut(map))
        || map.servers().values().stream()
            .flatMap(List::stream)
            .anyMatch(name -> config.server(name, map) == null)) {
      return false;
    }
    if (!map.equals(other)) {
      proposed.put(map.number(), map);
      route();
    }
    return true;
  }

  /** A replica of this server, or another server, knows these maps. */
  synchronized void learn(List<ClusterMap> maps, int closed) {
    MapHistory before = history;
    try {
      history = history.merged(maps, closed);
    } catch (IllegalArgumentException e) {
      log.error("server '{}' knows {}, and was told {}", self.name(), history, maps, e);
      return;
    }
    if (history.equals(before)) {
      return;
    }
    if (history.last().number() != before.last().number()) {
      log.info("server '{}' knows {}", self.name(), history.last());
    }
    endGivenUp();
    route();
    if (!before.last().left().contains(self.name())) {
      warnIfLeft();
    }
    history.maps().forEach(this::startAll);
    if (hosting != null) {
      hosting.told(history);
    }
  }

  /** Ends the replicas of maps that were given up. */
  private void endGivenUp() {
    if (hosting == null) {
      return; // they are still restored
    }
    for (ClusterMap map : List.copyOf(proposed.values())) {
      if (history.numbered(map.number()) != null) {
        proposed.remove(map.number());
      } else if (map.number() <= history.closed() || map.number() < history.last().number()) {
        proposed.remove(map.number());
        endAll(map);
      }
    }
  }

  /** Starts and ends replicas from now on, and those of the maps known so far. */
  synchronized void begin(Hosting starter) {
    hosting = starter;
    starter.members(members());
    remember();
    endGivenUp();
    history.maps().forEach(this::startAll);
    proposed.values().forEach(this::startAll);
    warnIfLeft();
  }

  /** Whether a server has left the cluster, as far as this one knows. */
  synchronized boolean hasLeft(String name) {
    return member(name) == null && history.last().left().contains(name);
  }

  /**
   * What there is to say of a server that has left.
   *
   * @param server how the text names it
   */
  synchronized String leftText(String server) {
    return "%s has left the cluster with map %d or an earlier one: stop it, or let it join again with 'morty servers add'"
        .formatted(server, history.last().number());
  }

  /** A server that has left connects to no others, so nobody else would tell it. */
  private void warnIfLeft() {
    if (hosting != null && hasLeft(self.name())) {
      log.warn("{}", leftText("server '" + self.name() + "'"));
    }
  }

  /** A replica of a new partition is here already. */
  synchronized void has(ReplicaId replica) {
    hosted.add(replica);
  }

  private void startAll(ClusterMap map) {
    Hosting starter = hosting;
    if (starter == null || map.number() == 0) {
      return;
    }
    map.servers()
        .forEach(
            (partition, names) -> {
              ReplicaId replica = new ReplicaId(partition, names.indexOf(self.name()));
              if (replica.index() >= 0 && partition >= config.partitions() && hosted.add(replica)) {
                log.info("server '{}' starts replica {} of {}", self.name(), replica, map);
                starter.start(replica, map, history);
              }
            });
  }

  private void endAll(ClusterMap map) {
    for (ReplicaId replica : List.copyOf(hosted)) {
      if (map.has(replica.partition()) && !knowsDecided(replica.partition())) {
        hosted.remove(replica);
        log.info("server '{}' ends replica {}: its map was given up", self.name(), replica);
        if (hosting != null) {
          hosting.end(replica);
        }
      }
    }
  }

  private boolean knowsDecided(int partition) {
    return history.knows(partition);
  }
}
