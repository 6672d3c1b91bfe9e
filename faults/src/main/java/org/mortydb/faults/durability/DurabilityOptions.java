package org.mortydb.faults.durability;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.mortydb.bench.cluster.ClusterSettings;

/**
 * What is measured, and for how long.
 *
 * @param parts the parts to run
 * @param seconds the window of a point in one round, greater than 0
 * @param warmupSeconds the load before each window, 0 or more
 * @param rounds how often each point is measured, in turn with its alternatives
 * @param keys records in the parts about size: restart, catch-up, pauses
 * @param loadKeys records in the parts about load
 * @param deaths coordinators that die
 * @param restarts restarts after a kill, and as many after a stop
 * @param rate transactions per second in open loops
 * @param data the directory on whose disk servers store
 * @param serverJvm options of the servers' JVMs, the collector's included
 * @param seed of all that is drawn
 */
public record DurabilityOptions(
    Set<DurabilityPart> parts,
    double seconds,
    double warmupSeconds,
    int rounds,
    int keys,
    int loadKeys,
    int deaths,
    int restarts,
    double rate,
    Path data,
    String serverJvm,
    long seed) {

  /** A cluster of three servers. */
  ClusterSettings cluster(String durability, boolean tls, Map<String, String> others) {
    return cluster(durability, tls, serverJvm, others);
  }

  /** A cluster of three servers whose JVMs have options of their own. */
  ClusterSettings cluster(String durability, boolean tls, String jvm, Map<String, String> others) {
    return ClusterSettings.ofProcesses(1, 1, tls, durability, data, 0, jvm, others);
  }
}
