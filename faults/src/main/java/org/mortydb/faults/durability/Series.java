package org.mortydb.faults.durability;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.measure.CpuMeter.CpuTime;
import org.mortydb.faults.durability.DurabilityReport.Arm;
import org.mortydb.workloads.load.Meter.TypeMeter;
import org.mortydb.workloads.load.Percentiles;
import org.mortydb.workloads.load.Rounded;
import org.mortydb.workloads.load.RunResult;

/** The rounds of one of the alternatives. */
final class Series {
  private final String name;
  private final Map<String, String> settings = new LinkedHashMap<>();
  private final Histogram latency = newHistogram();
  private final Histogram commitLatency = newHistogram();
  private final List<Double> perSecond = new ArrayList<>();
  private long committedWithCpu;
  private long cpuNanos;
  private long serverCpuNanos;
  private int checkpoints;

  Series(String name, ClusterSettings cluster) {
    this.name = name;
    settings.put("server.durability", cluster.durability());
    settings.put("server.tls.enabled", Boolean.toString(cluster.tls()));
    settings.putAll(cluster.others());
    settings.put("jvm", String.join(" ", cluster.serverJvmOptions()));
  }

  static Histogram newHistogram() {
    Histogram histogram = new Histogram(3);
    histogram.setAutoResize(true);
    return histogram;
  }

  void add(RunResult result, Optional<CpuTime> cpu, int newCheckpoints) {
    TypeMeter total = result.measurement().total();
    latency.add(total.latency());
    commitLatency.add(total.commitLatency());
    perSecond.add(Rounded.to(1, total.committed() / result.window().seconds()));
    if (cpu.isPresent()) {
      committedWithCpu += total.committed();
      cpuNanos += cpu.get().totalNanos();
      serverCpuNanos += cpu.get().childrenNanos();
    }
    checkpoints += newCheckpoints;
  }

  private @Nullable Double perCommit(long nanos) {
    return committedWithCpu == 0 ? null : Rounded.to(1, nanos / 1e3 / committedWithCpu);
  }

  Arm figures() {
    double mean = perSecond.stream().mapToDouble(Double::doubleValue).average().orElse(0);
    return new Arm(
        name,
        Rounded.to(1, mean),
        List.copyOf(perSecond),
        perCommit(cpuNanos),
        perCommit(serverCpuNanos),
        Percentiles.of(latency),
        Percentiles.of(commitLatency),
        checkpoints,
        settings);
  }
}
