package org.mortydb.bench.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.protocol.system.Morty;

/**
 * The cluster of a run, with one server in each of 2f+1 regions.
 *
 * @param f the number of tolerated failures in each partition, 1 or more
 * @param partitions the number of partitions, 1 or more
 * @param delayMicros the emulated one-way delay between regions; empty for none
 * @param tls whether all connections are encrypted, with certificates for the run
 * @param durability the durability of servers: {@code sync}, {@code async}, {@code memory}
 * @param data the directory of the servers' data, which is deleted at the end; null with {@code
 *     memory}
 * @param processes whether every server has its own process
 * @param serverLoops the event loops of each server; 0 if the server decides
 * @param serverJvmOptions the options of the server processes' JVMs
 * @param clientRegions the number of regions with clients, 1 to 2f+1
 * @param clientLoops the event loops of each client, 1 or more
 * @param others further settings of the configuration file by their full names, such as {@code
 *     server.storage.checkpoint-log}
 */
public record ClusterSettings(
    int f,
    int partitions,
    OptionalLong delayMicros,
    boolean tls,
    String durability,
    @Nullable Path data,
    boolean processes,
    int serverLoops,
    List<String> serverJvmOptions,
    int clientRegions,
    int clientLoops,
    Map<String, String> others) {

  /** The setting of the system. */
  public static final String SYSTEM = "cluster.system";

  /**
   * A cluster of processes without delays, with clients in the first region.
   *
   * @param data ignored with {@code memory}
   * @param serverJvm the options of the server processes' JVMs, separated by blanks
   */
  public static ClusterSettings ofProcesses(
      int f,
      int partitions,
      boolean tls,
      String durability,
      @Nullable Path data,
      int serverLoops,
      String serverJvm,
      Map<String, String> others) {
    return new ClusterSettings(
        f,
        partitions,
        OptionalLong.empty(),
        tls,
        durability,
        durability.equals("memory") ? null : data,
        true,
        serverLoops,
        ServerJvm.of(serverJvm),
        1,
        1,
        others);
  }

  /**
   * The configuration of the cluster, on free ports of this machine.
   *
   * @throws ClusterFailedException if a setting has a wrong value
   * @throws IllegalStateException if it needs files, for certificates or data
   */
  public ClusterConfig config() {
    if (tls || data != null) {
      throw new IllegalStateException("a configuration with TLS or storage needs a folder");
    }
    try {
      return ClusterConfig.parse(ClusterFile.of(this, Path.of("")));
    } catch (IOException | InvalidConfigException e) {
      throw new ClusterFailedException("the cluster cannot be configured: " + e.getMessage(), e);
    }
  }

  /** These settings with or without encryption. */
  public ClusterSettings withTls(boolean encrypted) {
    return new ClusterSettings(
        f,
        partitions,
        delayMicros,
        encrypted,
        durability,
        data,
        processes,
        serverLoops,
        serverJvmOptions,
        clientRegions,
        clientLoops,
        others);
  }

  /**
   * These settings for a workload that merges: the watermark is half a second behind the clock. A
   * key that many transactions merge into would otherwise soon have as many merges above the
   * watermark as it may hold.
   */
  public ClusterSettings forMerges() {
    return with("server.replica.watermark-lag", "500ms");
  }

  /** These settings with another one of the configuration file, by its full name. */
  public ClusterSettings with(String setting, String value) {
    Map<String, String> more = new LinkedHashMap<>(others);
    more.put(setting, value);
    return new ClusterSettings(
        f,
        partitions,
        delayMicros,
        tls,
        durability,
        data,
        processes,
        serverLoops,
        serverJvmOptions,
        clientRegions,
        clientLoops,
        more);
  }

  /** The name of the system. */
  public String system() {
    return others.getOrDefault(SYSTEM, Morty.NAME);
  }

  /** The longest emulated one-way delay between regions, in microseconds; 0 for none. */
  public long longestDelayMicros() {
    long longest = delayMicros.orElse(0);
    for (Map.Entry<String, String> setting : others.entrySet()) {
      if (setting.getKey().startsWith(DelayFile.PREFIX)) {
        longest = Math.max(longest, DelayFile.micros(setting.getValue()));
      }
    }
    return longest;
  }

  /** The number of regions. */
  public int regionCount() {
    return 2 * f + 1;
  }

  /** The regions' names. */
  public List<String> regions() {
    return regionNames(regionCount());
  }

  /** The names of {@code count} regions. */
  public static List<String> regionNames(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> "region-" + i).toList();
  }
}
