package org.mortydb.experiments.plan;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.DelayFile;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.client.RetryPolicy;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.workloads.WorkloadChoice;

/**
 * One run of an experiment.
 *
 * @param label what readers call this kind of point, the system left out; null for no name
 * @param way how it is run
 * @param system what servers and clients run
 * @param workload what is run on it
 * @param clients transactions that run at a time, in a closed loop, all regions together
 * @param delayMillis the one-way delay between any two regions; null for none, or for those of a
 *     file
 * @param delays delays between each two regions, of a file; null for none
 * @param f failures tolerated; there are 2f+1 regions with a server each
 * @param partitions partitions of the keys, on every server
 * @param durability what servers store before they answer: {@code memory}, {@code async}, {@code
 *     sync}
 * @param clientRegions in how many regions there are clients; null for one without delay, for all
 *     with it
 * @param clientLoops event loops of the clients of a region
 * @param serverLoops event loops of a server; 0 for as many as it thinks right
 * @param processes whether each server is a process of its own; for real points only
 * @param serverJvm options of the server processes' JVMs; null for the usual ones
 * @param cores processor cores of each server; for simulated points only, null for their default
 * @param retry when aborted transactions are tried again; null for what is usual for the system and
 *     the delays
 * @param warmupSeconds what runs before the window, on the point's own clock
 * @param seconds the window
 * @param seed decides what is drawn
 */
public record Point(
    @Nullable String label,
    Way way,
    TransactionSystem system,
    WorkloadChoice workload,
    int clients,
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
    @Nullable Integer cores,
    @Nullable RetryPolicy retry,
    double warmupSeconds,
    double seconds,
    long seed) {

  /** The names of coordinates, those of workloads left out. */
  public static final String LABEL = "label";

  /** See {@link #LABEL}. */
  public static final String SYSTEM = "system";

  /** See {@link #LABEL}. */
  public static final String WORKLOAD = "workload";

  /**
   * What tells this point from others, by name; times and the seed are no part of it. Values are
   * texts, numbers and truth values. What is not set is left out, so that definitions can be
   * extended without making other points of old ones.
   */
  public Map<String, Object> coordinates() {
    Map<String, Object> all = new LinkedHashMap<>();
    put(all, LABEL, label);
    put(all, "way", way.toString());
    put(all, SYSTEM, system.toString());
    put(all, WORKLOAD, workload.name());
    workload.options().forEach((name, value) -> put(all, name, value));
    put(all, "clients", clients);
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
    put(all, "cores", cores);
    put(all, "backoffMicros", retry == null ? null : retry.baseMicros());
    put(all, "backoffCapMicros", retry == null ? null : retry.capMicros());
    return Collections.unmodifiableMap(all);
  }

  private static void put(Map<String, Object> all, String name, @Nullable Object value) {
    if (value != null && all.put(name, value) != null) {
      throw new IllegalArgumentException(
          "the workload has an option '" + name + "', and points have a key of that name");
    }
  }

  /** The regions, one for each server. */
  public int regions() {
    return 2 * f + 1;
  }

  /** When aborted transactions are tried again. */
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

  /** The number of regions that have clients. */
  public int regionsWithClients() {
    boolean far = delayMillis != null || delays != null;
    return clientRegions != null ? clientRegions : far ? regions() : 1;
  }

  /** The same on another system. */
  public Point on(TransactionSystem other) {
    return with(other, warmupSeconds, seconds, seed);
  }

  /** The same for another time, with another seed. */
  public Point with(double newWarmupSeconds, double newSeconds, long newSeed) {
    return with(system, newWarmupSeconds, newSeconds, newSeed);
  }

  private Point with(
      TransactionSystem newSystem, double newWarmupSeconds, double newSeconds, long newSeed) {
    return new Point(
        label,
        way,
        newSystem,
        workload,
        clients,
        delayMillis,
        delays,
        f,
        partitions,
        durability,
        clientRegions,
        clientLoops,
        serverLoops,
        processes,
        serverJvm,
        cores,
        retry,
        newWarmupSeconds,
        newSeconds,
        newSeed);
  }
}
