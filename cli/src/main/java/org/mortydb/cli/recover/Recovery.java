package org.mortydb.cli.recover;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.replica.MapRecordVersion;
import org.mortydb.protocol.replica.Replica.Memory;
import org.mortydb.protocol.replica.Rollback;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The reports of all servers of a cluster, and what follows from them on every machine alike. */
public final class Recovery {
  private final ClusterConfig cluster;
  private final Path folder;
  private final Function<String, Path> file;

  /** All reports that were read: no file is read twice. */
  private final Map<String, ServerMemory> parsed = new LinkedHashMap<>();

  /** The reports that count, in the order in which they were added. */
  private final Map<String, ServerMemory> reports = new LinkedHashMap<>();

  /** All maps that any server knows. */
  private MapHistory maps;

  private Recovery(ClusterConfig cluster, Path folder, Function<String, Path> file) {
    this.cluster = cluster;
    this.folder = folder;
    this.file = file;
    this.maps = new MapHistory(cluster.firstMap());
  }

  /**
   * Reads the reports that are there.
   *
   * @param file returns the report's file of a server
   * @throws IOException when a file is no report, or belongs to another server or configuration
   */
  public static Recovery of(ClusterConfig cluster, Path folder, Function<String, Path> file)
      throws IOException {
    Recovery recovery = new Recovery(cluster, folder, file);
    recovery.readNew();
    return recovery;
  }

  /**
   * Reads the reports that were added to the folder since the last call. The result is as if all
   * reports had been there from the beginning, so it is the same on every machine.
   *
   * @throws IOException as {@link #of}
   */
  public void readNew() throws IOException {
    maps = new MapHistory(cluster.firstMap());
    reports.clear();
    // Each report may tell of servers that have joined, or have left.
    for (String next = nextToAdd(); next != null; next = nextToAdd()) {
      add(next, file.apply(next));
    }
  }

  private @Nullable String nextToAdd() {
    return servers().stream()
        .filter(name -> !reports.containsKey(name) && Files.exists(file.apply(name)))
        .findFirst()
        .orElse(null);
  }

  /** Adds a report if it fits the configuration and the other reports. */
  private void add(String server, Path path) throws IOException {
    @Nullable ServerMemory known = parsed.get(server);
    ServerMemory report = known == null ? read(server, path) : known;
    if (!report.server().equals(server) || !report.cluster().equals(cluster.name())) {
      throw new IOException(
          path
              + " is the report of server '"
              + report.server()
              + "' of cluster '"
              + report.cluster()
              + "': copy the report of server '"
              + server
              + "' to "
              + folder);
    }
    try {
      maps = report.mergedInto(maps);
    } catch (IOException e) {
      throw new IOException(
          path + ": " + e.getMessage() + "; delete the reports on all machines, and begin again",
          e);
    }
    checkReplicas(path, report);
    parsed.put(server, report);
    reports.put(server, report);
  }

  private ServerMemory read(String server, Path path) throws IOException {
    String why = "it is empty";
    try {
      ServerMemory report = JsonMapper.shared().readValue(path, ServerMemory.class);
      if (report != null) {
        return report;
      }
    } catch (JacksonException e) {
      why = e.getOriginalMessage();
    }
    throw new IOException(
        path
            + " is no report of server '"
            + server
            + "' ("
            + why
            + "): delete it, run the command again on the machine of that server, and copy its"
            + " report to "
            + folder);
  }

  /** A server has all its replicas of the first map, and perhaps others of later ones. */
  private void checkReplicas(Path path, ServerMemory report) throws IOException {
    ServerSpec spec = cluster.server(report.server());
    List<ReplicaId> first = spec == null ? List.of() : cluster.replicasOf(spec);
    for (ReplicaId id : report.ids()) {
      boolean isOfFirst = id.partition() < cluster.partitions();
      if (isOfFirst ? !first.contains(id) : !cluster.changes()) {
        throw new IOException(otherReplicas(path, report, first));
      }
    }
    if (!report.ids().containsAll(first)) {
      throw new IOException(otherReplicas(path, report, first));
    }
  }

  private static String otherReplicas(Path path, ServerMemory report, List<ReplicaId> first) {
    return path
        + " tells of the replicas "
        + report.ids()
        + ", and the configuration gives server '"
        + report.server()
        + "' "
        + first
        + ": use the configuration of the servers' last start on all machines";
  }

  /** Returns the servers of the cluster, as far as the reports tell. */
  public List<String> servers() {
    return cluster.servers(maps.last()).stream().map(ServerSpec::name).toList();
  }

  /** Returns the servers without a report. */
  public List<String> missing() {
    return servers().stream().filter(name -> !reports.containsKey(name)).toList();
  }

  /** Returns the report of a server. */
  public ServerMemory memory(String server) {
    return Objects.requireNonNull(reports.get(server), server);
  }

  /** Whether more than f replicas of a partition cannot serve, so that none of them can rejoin. */
  public boolean isNeeded() {
    ClusterMap last = maps.last();
    for (Map.Entry<Integer, List<String>> partition : last.servers().entrySet()) {
      int away = 0;
      for (int index = 0; index < partition.getValue().size(); index++) {
        ServerMemory report = reports.get(partition.getValue().get(index));
        Memory memory =
            report == null ? null : report.memories().get(new ReplicaId(partition.getKey(), index));
        if (report == null || report.doubtful() || memory == null || !memory.served()) {
          away++;
        }
      }
      if (away > last.f()) {
        return true;
      }
    }
    return false;
  }

  /** Returns the server whose promises reach furthest. */
  public String latest() {
    return reports.values().stream()
        .max(Comparator.comparing(ServerMemory::latestMicros))
        .map(ServerMemory::server)
        .orElseThrow();
  }

  /** Returns how the cluster goes back; null if there is no state to go back to. */
  public @Nullable Rollback rollback() {
    Map<ReplicaId, List<MapRecordVersion>> records = new LinkedHashMap<>();
    reports.values().forEach(report -> records.putAll(report.records()));
    int heardOf = reports.values().stream().mapToInt(ServerMemory::lastChange).max().orElse(0);
    return Rollback.of(maps.closedTo(heardOf), memories(), records);
  }

  /** Returns the number of the last map that any server knows. */
  public int lastMap() {
    return maps.last().number();
  }

  private Map<ReplicaId, Memory> memories() {
    Map<ReplicaId, Memory> memories = new LinkedHashMap<>();
    reports.values().forEach(report -> memories.putAll(report.memories()));
    return memories;
  }
}
