package org.mortydb.config;

import com.typesafe.config.Config;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.TransactionSystem;

/**
 * The valid configuration of a cluster. All servers and clients read the same file.
 * docs/reference/configuration.md explains the settings. Immutable.
 */
public final class ClusterConfig {
  private final String name;
  private final TransactionSystem system;
  private final int f;
  private final boolean changes;
  private final List<String> regions;
  private final List<ServerSpec> first;
  private final Membership members;
  private final List<List<ServerSpec>> placement;
  private final int[] leaders;
  private final int eventLoops;
  private final StorageSettings storage;
  private final LinkOptions linkOptions;
  private final ReplicaOptions replicaOptions;
  private final SlotSetting regionSlots;
  private final AdmissionSetting admission;
  private final DelayMatrix delays;
  private final SecurityConfig security;
  private final TracingSettings tracing;
  private final String shared;

  ClusterConfig(
      String name,
      TransactionSystem system,
      int f,
      boolean changes,
      List<String> regions,
      List<ServerSpec> first,
      Membership members,
      List<List<ServerSpec>> placement,
      int[] leaders,
      int eventLoops,
      StorageSettings storage,
      LinkOptions linkOptions,
      ReplicaOptions replicaOptions,
      SlotSetting regionSlots,
      AdmissionSetting admission,
      DelayMatrix delays,
      SecurityConfig security,
      TracingSettings tracing,
      String shared) {
    this.name = name;
    this.system = system;
    this.f = f;
    this.changes = changes;
    this.regions = List.copyOf(regions);
    this.first = List.copyOf(first);
    this.members = members;
    this.placement = List.copyOf(placement);
    this.leaders = leaders.clone();
    this.eventLoops = eventLoops;
    this.storage = storage;
    this.linkOptions = linkOptions;
    this.replicaOptions = replicaOptions;
    this.regionSlots = regionSlots;
    this.admission = admission;
    this.delays = delays;
    this.security = security;
    this.tracing = tracing;
    this.shared = shared;
  }

  // ---- reading ------------------------------------------------------------------------------

  /**
   * Reads a configuration file. Relative paths in it refer to its folder.
   *
   * @throws IOException when the file cannot be read; names the file
   * @throws InvalidConfigException when it is invalid, with all problems
   */
  public static ClusterConfig load(Path file) throws IOException, InvalidConfigException {
    return ConfigReader.load(file);
  }

  /**
   * Reads the text of a configuration. Relative paths in it refer to the working folder.
   *
   * @throws InvalidConfigException when it is invalid, with all problems
   */
  public static ClusterConfig parse(String text) throws InvalidConfigException {
    return ConfigReader.parse(text);
  }

  /**
   * Reads a configuration that is already parsed. Relative paths in it refer to the working folder.
   *
   * @throws InvalidConfigException when it is invalid, with all problems
   */
  public static ClusterConfig of(Config config) throws InvalidConfigException {
    return ConfigReader.read(config);
  }

  // ---- the cluster --------------------------------------------------------------------------

  /** The cluster's name. */
  public String name() {
    return name;
  }

  /** The system that its servers and clients run. */
  public TransactionSystem system() {
    return system;
  }

  /** Failures tolerated in each partition, at least 1. */
  public int f() {
    return f;
  }

  /** The number of partitions of the first map, at least 1. */
  public int partitions() {
    return placement.size();
  }

  /** Whether the map of the cluster may change (docs/protocol.md, section 15). */
  public boolean changes() {
    return changes;
  }

  /** The first map of the cluster, as the file gives it. */
  public ClusterMap firstMap() {
    return ClusterMap.first(
        f, placement.stream().map(group -> group.stream().map(ServerSpec::name).toList()).toList());
  }

  /** The regions' names, in the order of the file. */
  public List<String> regions() {
    return regions;
  }

  /** The servers of the file, in its order. */
  public List<ServerSpec> firstServers() {
    return first;
  }

  /**
   * The servers that are in the cluster: those of the file in its order, and those that have joined
   * and not left, as far as the servers have told.
   */
  public List<ServerSpec> servers() {
    return members.servers();
  }

  /**
   * This configuration with the servers that have joined and left, as a server has told with the
   * shared settings. Nothing else of what it has told matters.
   *
   * @param settings in JSON; nothing of it is believed without a check
   * @param from the server, for errors
   * @throws InvalidConfigException if they are no settings
   */
  public ClusterConfig withMembers(String settings, String from) throws InvalidConfigException {
    Membership told = ConfigReader.told(settings, from).members;
    return new ClusterConfig(
        name,
        system,
        f,
        changes,
        regions,
        first,
        told.ofFirst(first),
        placement,
        leaders,
        eventLoops,
        storage,
        linkOptions,
        replicaOptions,
        regionSlots,
        admission,
        delays,
        security,
        tracing,
        shared);
  }

  /** The servers that are in the cluster under a map. */
  public List<ServerSpec> servers(ClusterMap map) {
    return members.servers(map);
  }

  /** The server of that name, even if it has left; null if there was never one. */
  public @Nullable ServerSpec server(String serverName) {
    return members.server(serverName);
  }

  /** The server of that name under a map, even if it has left; null if there was never one. */
  public @Nullable ServerSpec server(String serverName, ClusterMap map) {
    return members.server(serverName, map);
  }

  /** What all processes of the cluster must believe alike. */
  public Layout layout() {
    return Layout.of(this);
  }

  /**
   * The settings that all processes of the cluster share, as a configuration in JSON. A process
   * that was started from a few addresses learns them from a server.
   */
  public String shared() {
    return shared;
  }

  /** The same, with the servers that have joined and left under a map. */
  public String shared(ClusterMap map) {
    return map.joined().isEmpty() && map.left().isEmpty() ? shared : Membership.shared(shared, map);
  }

  /**
   * Returns the first shared setting that differs from that of another configuration, with both
   * values; null if none does.
   */
  @Nullable String sharedDifference(ClusterConfig there) {
    String layout = layout().difference(there.layout());
    if (layout != null) {
      return layout;
    }
    return Stream.of(
            difference("cluster.name", name, there.name),
            difference("cluster.changes", changes, there.changes),
            difference("cluster.regions", regions, there.regions),
            difference("cluster.servers", first, there.first),
            difference("cluster.leaders", Arrays.toString(leaders), Arrays.toString(there.leaders)),
            difference("server.replica", replicaOptions, there.replicaOptions),
            difference("emulation", delays(delays), delays(there.delays)))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private String delays(DelayMatrix matrix) {
    StringBuilder all = new StringBuilder();
    for (String from : regions) {
      for (String to : regions) {
        long micros = matrix.micros(from, to);
        if (micros > 0) {
          all.append(from).append(" to ").append(to).append(' ').append(micros).append(" µs + ");
          all.append(matrix.jitterMicros(from, to)).append(" µs, ");
        }
      }
    }
    return all.isEmpty() ? "none" : all.substring(0, all.length() - 2);
  }

  private static @Nullable String difference(String setting, Object here, Object there) {
    return here.equals(there) ? null : setting + " is " + here + " here and " + there + " there";
  }

  /** The server that holds a replica. */
  public ServerSpec serverOf(ReplicaId replica) {
    return placement.get(replica.partition()).get(replica.index());
  }

  /** Whether there is such a replica. */
  public boolean hasReplica(ReplicaId replica) {
    return replica.partition() >= 0
        && replica.partition() < placement.size()
        && replica.index() >= 0
        && replica.index() < 2 * f + 1;
  }

  /** The replicas that a server holds, by partition. */
  public List<ReplicaId> replicasOf(ServerSpec server) {
    List<ReplicaId> replicas = new ArrayList<>();
    for (int partition = 0; partition < placement.size(); partition++) {
      int index = placement.get(partition).indexOf(server);
      if (index >= 0) {
        replicas.add(new ReplicaId(partition, index));
      }
    }
    return replicas;
  }

  /**
   * Returns the layout as a process in a region sees it. The closest replicas are those in the same
   * region, then those with the smallest configured delays. Of equals, those come first whose
   * indices follow that of the closest one, so that regions do not all prefer the same.
   *
   * @throws IllegalArgumentException when there is no such region
   */
  public Topology topology(String region) {
    requireRegion(region);
    int[][] nearest = new int[placement.size()][];
    for (int partition = 0; partition < nearest.length; partition++) {
      nearest[partition] = nearest(region, placement.get(partition));
    }
    return Topology.of(firstMap(), nearest).withLeaders(leaders);
  }

  private void requireRegion(String region) {
    if (!regions.contains(region)) {
      throw new IllegalArgumentException(
          "region '" + region + "' does not exist" + DidYouMean.hint(region, regions));
    }
  }

  /**
   * Returns a later map of the cluster as a process in a region sees it; null if it places replicas
   * on servers that neither this configuration nor the map knows.
   *
   * @throws IllegalArgumentException when there is no such region
   */
  public @Nullable Topology topology(String region, ClusterMap map) {
    requireRegion(region);
    int[][] nearest = new int[map.servers().lastKey() + 1][];
    for (Map.Entry<Integer, List<String>> partition : map.servers().entrySet()) {
      List<ServerSpec> group = new ArrayList<>();
      for (String server : partition.getValue()) {
        ServerSpec spec = server(server, map);
        if (spec == null) {
          return null;
        }
        group.add(spec);
      }
      nearest[partition.getKey()] = nearest(region, group);
    }
    return Topology.of(map, nearest);
  }

  private int[] nearest(String region, List<ServerSpec> group) {
    Comparator<Integer> byDistance =
        Comparator.comparingLong(index -> distance(region, group.get(index)));
    int closest = IntStream.range(0, group.size()).boxed().min(byDistance).orElseThrow();
    return IntStream.range(0, group.size())
        .map(rank -> (closest + rank) % group.size())
        .boxed()
        .sorted(byDistance)
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private long distance(String region, ServerSpec server) {
    return server.region().equals(region) ? -1 : delays.micros(region, server.region());
  }

  // ---- settings of every process ------------------------------------------------------------

  /**
   * The event loops of a server.
   *
   * @param replicas how many replicas it holds, which is also the most event loops that it needs
   * @param cores how many processors the machine has
   */
  public int eventLoops(int replicas, int cores) {
    int wanted = eventLoops > 0 ? eventLoops : cores / 2;
    return Math.max(1, Math.min(wanted, replicas));
  }

  /** Returns what a crash of a server may lose. */
  public Durability durability() {
    return storage.durability();
  }

  /** Returns the settings of storage. */
  public StorageSettings storage() {
    return storage;
  }

  /** The limits of links. */
  public LinkOptions linkOptions() {
    return linkOptions;
  }

  /** The limits of replicas. */
  public ReplicaOptions replicaOptions() {
    return replicaOptions;
  }

  /** Whether the transactions of a region take ids that lie together. */
  public SlotSetting regionSlots() {
    return regionSlots;
  }

  /** How many transactions an engine of a client has in flight. */
  public AdmissionSetting admission() {
    return admission;
  }

  /** The emulated delays between regions; {@link DelayMatrix#NONE} on a real network. */
  public DelayMatrix delays() {
    return delays;
  }

  /** Returns how processes authenticate, and what clients may do. */
  public SecurityConfig security() {
    return security;
  }

  /** Returns which transactions servers and clients trace. */
  public TracingSettings tracing() {
    return tracing;
  }
}
