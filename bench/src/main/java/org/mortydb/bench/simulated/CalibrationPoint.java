package org.mortydb.bench.simulated;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ServerJvm;
import org.mortydb.workloads.WorkloadChoice;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.Workload;

/**
 * A point that runs both ways.
 *
 * @param system the system's name
 * @param workload the workload, always created with the same seed
 * @param record the file of the real run; null for a new run
 * @param clients the number of concurrent transactions
 * @param delayMillis the one-way delay between regions; null for none
 */
record CalibrationPoint(
    String system,
    WorkloadChoice workload,
    @Nullable String record,
    int clients,
    @Nullable Double delayMillis) {
  private static final int SERVERS = 3;

  Workload newWorkload() {
    return workload.create(1);
  }

  Map<String, @Nullable Object> described() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("system", system);
    all.put("workload", newWorkload().name());
    all.putAll(workload.settings());
    if (record != null) {
      all.put("record", record);
    }
    all.put("clients", clients);
    all.put("delayMillis", delayMillis);
    return all;
  }

  ClusterSettings cluster(boolean processes) {
    Double delay = delayMillis;
    return new ClusterSettings(
        1,
        1,
        delay == null ? OptionalLong.empty() : OptionalLong.of(Math.round(delay * 1_000)),
        false,
        "memory",
        null,
        processes,
        0,
        processes ? ServerJvm.of(ServerJvm.MEASURED) : List.of(),
        delay == null ? 1 : SERVERS,
        1,
        Map.of(ClusterSettings.SYSTEM, system));
  }

  RunOptions run(double warmupSeconds, double seconds) {
    return new RunOptions(
        clients, OptionalDouble.empty(), Arrivals.POISSON, warmupSeconds, seconds, 1);
  }
}
