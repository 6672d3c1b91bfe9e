package org.mortydb.experiments.plan;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.DelayFile;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.workloads.WorkloadChoice;
import org.mortydb.workloads.WorkloadOption;
import org.mortydb.workloads.load.Rate;

/**
 * A point of an experiment.
 *
 * @param label the name of this kind of point for readers, without the system; null for none
 * @param way the way of running it
 * @param system the system of servers and clients
 * @param workload the workload
 * @param clients the number of concurrent transactions, over all regions; the most of an open loop
 * @param rate the rate of an open loop; null for a closed loop
 * @param delayMillis the one-way delay between any two regions; null for none or for a file's
 * @param delays the file of delays; null for none
 * @param f the number of tolerated failures; there are 2f+1 regions with a server each
 * @param partitions the number of partitions, on every server
 * @param durability the durability of servers: {@code memory}, {@code async}, {@code sync}
 * @param clientRegions the number of regions with clients; null for one without delay, all with it
 * @param clientLoops the event loops of the clients of a region
 * @param serverLoops the event loops of a server; 0 if the server decides
 * @param processes whether each server has its own process; for real points only
 * @param serverJvm the options of the server processes' JVMs; null for the default
 * @param down the number of servers that are killed once the records are filled; null for none, and
 *     for all but real points with processes
 * @param cores the cores of each server; for simulated points only, null for the default
 * @param filled whether the records are filled first; only simulated points may do without
 * @param readOnlyLevel the level of read-only transactions; null for the default
 * @param regionSlots whether the transactions of a region take ids that lie together, in the words
 *     of {@code client.region-slots}; null for the default
 * @param admission the transactions that an event loop of the clients has in flight, in the words
 *     of {@code client.admission}; null for the default
 * @param retry the retries of aborted transactions; null for the default of system and delays
 * @param warmupSeconds the time before the window, on the point's own clock
 * @param seconds the window
 * @param seed the seed of all random choices
 */
public record Point(
    @Nullable String label,
    Way way,
    TransactionSystem system,
    WorkloadChoice workload,
    int clients,
    @Nullable Rate rate,
    @Nullable Double delayMillis,
    @Nullable DelayFile delays,
    int f,
    int partitions,
    String durability,
    @Nullable Integer clientRegions,
    int clientLoops,
    int serverLoops,
    boolean processes,
    @Nullable String serverJvm,
    @Nullable Integer down,
    @Nullable Integer cores,
    boolean filled,
    @Nullable ReadLevel readOnlyLevel,
    @Nullable String regionSlots,
    @Nullable String admission,
    @Nullable RetryPolicy retry,
    double warmupSeconds,
    double seconds,
    long seed) {

  /** The name of a coordinate. */
  public static final String LABEL = "label";

  /** See {@link #LABEL}. */
  public static final String SYSTEM = "system";

  /** See {@link #LABEL}. */
  public static final String WORKLOAD = "workload";

  /** See {@link #LABEL}. */
  static final String REGION_SLOTS = "regionSlots";

  /** See {@link #LABEL}. */
  static final String ADMISSION = "admission";

  /** The option of workloads that can merge. */
  private static final String MERGES = "merges";

  /** See {@link #LABEL}. */
  public static final String RATE = "rate";

  /** See {@link #LABEL}. */
  private static final String CLIENTS = "clients";

  /**
   * The coordinates by name, which identify this point. Times and the seed are not included. Values
   * are texts, numbers and booleans. Unset ones are left out, so that new keys do not change old
   * points.
   */
  public Map<String, Object> coordinates() {
    Map<String, Object> all = new LinkedHashMap<>();
    put(all, LABEL, label);
    put(all, "way", way.toString());
    put(all, SYSTEM, system.name());
    put(all, WORKLOAD, workload.name());
    workload.options().forEach((name, value) -> put(all, name, value));
    put(all, CLIENTS, clients);
    put(all, RATE, rate == null ? null : rate.toString());
    put(all, "delayMillis", delayMillis);
    put(all, "delays", delays == null ? null : delays.name());
    put(all, "f", f);
    put(all, "partitions", partitions);
    put(all, "durability", durability);
    put(all, "clientRegions", clientRegions);
    put(all, "clientLoops", clientLoops == 1 ? null : clientLoops);
    put(all, "serverLoops", serverLoops == 0 ? null : serverLoops);
    put(all, "processes", way == Way.REAL ? processes : null);
    put(all, "serverJvm", serverJvm);
    put(all, "down", down);
    put(all, "cores", cores);
    put(all, "filled", filled ? null : false);
    put(all, "readOnlyLevel", readOnlyLevel == null ? null : readOnlyLevel.words());
    put(all, REGION_SLOTS, regionSlots);
    put(all, ADMISSION, admission);
    put(all, "backoffMicros", retry == null ? null : retry.baseMicros());
    put(all, "backoffCapMicros", retry == null ? null : retry.capMicros());
    return Collections.unmodifiableMap(all);
  }

  /**
   * All coordinates but the number of clients and the rate. Points with the same ones saturate at
   * the same rate.
   */
  public Map<String, Object> saturationCoordinates() {
    Map<String, Object> all = new LinkedHashMap<>(coordinates());
    all.remove(CLIENTS);
    all.remove(RATE);
    return all;
  }

  /**
   * The coordinates of the cluster, its records and the place of the clients: all but the load.
   * Points with the same ones can run one after another on one cluster.
   */
  public Map<String, Object> clusterCoordinates() {
    Map<String, Object> all = saturationCoordinates();
    all.remove(LABEL);
    workload.plugin().options().stream()
        .filter(WorkloadOption::isOfLoadAlone)
        .forEach(option -> all.remove(option.name()));
    return all;
  }

  private static void put(Map<String, Object> all, String name, @Nullable Object value) {
    if (value != null && all.put(name, value) != null) {
      throw new IllegalArgumentException(
          "the workload's option '" + name + "' has the name of a key of points");
    }
  }

  /** The number of regions, one per server. */
  public int regions() {
    return 2 * f + 1;
  }

  /** The retries of aborted transactions. */
  public RetryPolicy retryPolicy() {
    if (retry != null) {
      return retry;
    }
    double longestMicros =
        delays != null
            ? delays.longestMicros(regions())
            : delayMillis != null ? delayMillis * 1_000 : 0;
    return RetryDefaults.retries(system, Math.round(2 * longestMicros));
  }

  /** The deadline, retries and level of reads of every transaction. */
  public TransactionOptions transactionOptions() {
    TransactionOptions options = RetryDefaults.of(retryPolicy());
    return readOnlyLevel == null ? options : options.withReadLevel(readOnlyLevel);
  }

  /** The number of regions with clients. */
  public int regionsWithClients() {
    boolean far = delayMillis != null || delays != null;
    return clientRegions != null ? clientRegions : far ? regions() : 1;
  }

  /** This point on another system. */
  public Point on(TransactionSystem other) {
    return with(other, clients, warmupSeconds, seconds, seed);
  }

  /** This point with another workload. */
  public Point with(WorkloadChoice other) {
    return with(label, way, system, other, clients, warmupSeconds, seconds, seed);
  }

  /** Whether its workload merges, so that its system must be able to. */
  public boolean merges() {
    return workload.create(seed).merges();
  }

  /**
   * This point with a workload that merges instead of reading first, under a label of its own; null
   * if its workload or its system has no merges, or if it merges already.
   */
  public @Nullable Point merging() {
    boolean can = workload.plugin().options().stream().anyMatch(one -> one.name().equals(MERGES));
    if (!can || !system.merges() || merges()) {
      return null;
    }
    Map<String, String> given = new LinkedHashMap<>();
    workload.options().forEach((name, value) -> given.put(name, value.toString()));
    given.put(MERGES, "true");
    WorkloadChoice other = WorkloadChoice.of(workload.plugin(), given);
    String named = label == null ? MERGES : label + ", " + MERGES;
    return with(named, way, system, other, clients, warmupSeconds, seconds, seed);
  }

  /** This point with at most some number of clients. */
  public Point withAtMost(int mostClients) {
    return with(system, Math.min(clients, mostClients), warmupSeconds, seconds, seed);
  }

  /** This point with other times and another seed. */
  public Point with(double newWarmupSeconds, double newSeconds, long newSeed) {
    return with(system, clients, newWarmupSeconds, newSeconds, newSeed);
  }

  /**
   * This point on the hosts of agents. Simulated points remain as they are, and so do those that
   * kill servers or have a level of reads, which agents do not.
   */
  Point deployed() {
    return way == Way.SIMULATED || down != null || readOnlyLevel != null
        ? this
        : with(label, Way.DEPLOYED, system, workload, clients, warmupSeconds, seconds, seed);
  }

  private Point with(
      TransactionSystem newSystem,
      int newClients,
      double newWarmupSeconds,
      double newSeconds,
      long newSeed) {
    return with(label, way, newSystem, workload, newClients, newWarmupSeconds, newSeconds, newSeed);
  }

  private Point with(
      @Nullable String newLabel,
      Way newWay,
      TransactionSystem newSystem,
      WorkloadChoice newWorkload,
      int newClients,
      double newWarmupSeconds,
      double newSeconds,
      long newSeed) {
    return new Point(
        newLabel,
        newWay,
        newSystem,
        newWorkload,
        newClients,
        rate,
        delayMillis,
        delays,
        f,
        partitions,
        durability,
        clientRegions,
        clientLoops,
        serverLoops,
        processes || newWay == Way.DEPLOYED,
        serverJvm,
        down,
        cores,
        filled,
        readOnlyLevel,
        regionSlots,
        admission,
        retry,
        newWarmupSeconds,
        newSeconds,
        newSeed);
  }
}
