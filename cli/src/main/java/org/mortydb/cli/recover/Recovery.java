package org.mortydb.cli.recover;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.replica.Replica.Memory;
import org.mortydb.protocol.replica.Rollback;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The reports of all servers of a cluster, and what follows from them on every machine alike. */
public final class Recovery {
  private final ClusterConfig cluster;
  private final Map<String, ServerMemory> reports = new LinkedHashMap<>();
  private final List<String> missing = new ArrayList<>();

  private Recovery(ClusterConfig cluster) {
    this.cluster = cluster;
  }

  /**
   * Reads the reports that are there.
   *
   * @param file returns the report's file of a server
   * @throws IOException when a file is no report, or belongs to another server or configuration
   */
  public static Recovery of(ClusterConfig cluster, Path folder, Function<String, Path> file)
      throws IOException {
    Recovery recovery = new Recovery(cluster);
    for (ServerSpec server : cluster.servers()) {
      Path path = file.apply(server.name());
      if (!Files.exists(path)) {
        recovery.missing.add(server.name());
        continue;
      }
      ServerMemory report = read(path, server.name(), folder);
      if (!report.server().equals(server.name()) || !report.cluster().equals(cluster.name())) {
        throw new IOException(
            path
                + " is the report of server '"
                + report.server()
                + "' of cluster '"
                + report.cluster()
                + "': copy the report of server '"
                + server.name()
                + "' to "
                + folder);
      }
      if (!report.ids().equals(cluster.replicasOf(server))) {
        throw new IOException(
            path
                + " tells of the replicas "
                + report.ids()
                + ", and the configuration gives server '"
                + server.name()
                + "' "
                + cluster.replicasOf(server)
                + ": use the configuration of the servers' last start on all machines");
      }
      recovery.reports.put(server.name(), report);
    }
    return recovery;
  }

  private static ServerMemory read(Path path, String server, Path folder) throws IOException {
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

  /** Returns the servers without a report. */
  public List<String> missing() {
    return missing;
  }

  /** Returns the report of a server. */
  public ServerMemory memory(String server) {
    return Objects.requireNonNull(reports.get(server), server);
  }

  /** Whether more than f replicas of a partition cannot serve, so that none of them can rejoin. */
  public boolean isNeeded() {
    int[] away = new int[cluster.partitions()];
    for (ServerMemory report : reports.values()) {
      report
          .memories()
          .forEach(
              (id, memory) -> {
                if (report.doubtful() || !memory.served()) {
                  away[id.partition()]++;
                }
              });
    }
    for (int replicas : away) {
      if (replicas > cluster.f()) {
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
    Map<ReplicaId, Memory> memories = new LinkedHashMap<>();
    reports.values().forEach(report -> memories.putAll(report.memories()));
    return Rollback.of(cluster.f(), cluster.partitions(), memories);
  }
}
