package org.mortydb.experiments.runs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClientSetting;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.DelayFile;
import org.mortydb.bench.cluster.ServerJvm;
import org.mortydb.bench.experiment.Experiment;
import org.mortydb.bench.experiment.Reports;
import org.mortydb.bench.experiment.WatermarkLag;
import org.mortydb.bench.experiment.WorkloadLoads;
import org.mortydb.bench.report.Report;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.RetryPolicy;
import org.mortydb.experiments.plan.Point;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunOptions;

/** Runs points on clusters of this machine. */
public final class RealPointRunner implements PointRunner {
  private final Path disk;
  private final Saturations saturations = new Saturations();

  /**
   * @param disk the directory for the servers' data, if they store any; their folders are deleted
   */
  public RealPointRunner(Path disk) {
    this.disk = disk;
  }

  @Override
  public Report run(Point point, Progress progress) throws InterruptedException {
    return runAll(List.of(point), progress).getFirst();
  }

  @Override
  public boolean sharesClusters() {
    return true;
  }

  @Override
  public List<Report> runAll(List<Point> points, Progress progress) throws InterruptedException {
    Point point = points.getFirst();
    ClusterSettings cluster =
        cluster(point, point.processes(), point.durability().equals("memory") ? null : disk);
    Integer down = point.down();
    Experiment experiment =
        new Experiment(
                point.workload().create(point.seed()),
                cluster,
                options(point),
                true,
                settings(point, cluster),
                point.transactionOptions())
            .withDown(down == null ? 0 : down);
    Map<Map<String, Object>, List<Point>> byWorkload = new LinkedHashMap<>();
    for (Point one : points) {
      byWorkload.computeIfAbsent(one.saturationCoordinates(), any -> new ArrayList<>()).add(one);
    }
    List<WorkloadLoads> all = new ArrayList<>();
    List<Point> order = new ArrayList<>();
    for (List<Point> alike : byWorkload.values()) {
      Point first = alike.getFirst();
      all.add(
          new WorkloadLoads(
              first.workload().create(first.seed()),
              saturations.series(alike),
              settings(first, cluster)));
      order.addAll(alike);
    }
    List<Report> reports = experiment.executeAll(all, progress);
    Map<Point, Report> byPoint = new HashMap<>();
    for (int i = 0; i < reports.size(); i++) {
      byPoint.put(order.get(i), saturations.remember(order.get(i), reports.get(i)));
    }
    return points.stream().map(byPoint::get).toList();
  }

  static RunOptions options(Point point) {
    return new RunOptions(
        point.clients(),
        OptionalDouble.empty(),
        Arrivals.POISSON,
        point.warmupSeconds(),
        point.seconds(),
        point.seed());
  }

  static ClusterSettings cluster(Point point, boolean processes, @Nullable Path data) {
    Double delayMillis = point.delayMillis();
    String jvm = point.serverJvm();
    ClusterSettings cluster =
        new ClusterSettings(
            point.f(),
            point.partitions(),
            delayMillis == null
                ? OptionalLong.empty()
                : OptionalLong.of(Math.round(delayMillis * 1_000)),
            false,
            point.durability(),
            data,
            processes,
            point.serverLoops(),
            processes ? ServerJvm.of(jvm == null ? ServerJvm.MEASURED : jvm) : List.of(),
            point.regionsWithClients(),
            point.clientLoops(),
            others(point));
    return point.merges() ? cluster.forMerges() : cluster;
  }

  private static Map<String, String> others(Point point) {
    Map<String, String> others = new LinkedHashMap<>();
    others.put(ClusterSettings.SYSTEM, point.system().name());
    DelayFile delays = point.delays();
    if (delays != null) {
      others.putAll(delays.settings(ClusterSettings.regionNames(point.regions())));
    }
    ReadLevel level = point.readOnlyLevel();
    if (level != null) {
      others.putAll(WatermarkLag.settings(level));
    }
    ClientSetting.REGION_SLOTS.addTo(others, point.regionSlots());
    ClientSetting.ADMISSION.addTo(others, point.admission());
    return others;
  }

  static Map<String, @Nullable Object> settings(Point point, ClusterSettings cluster) {
    return settings(point, cluster, point.retryPolicy());
  }

  static Map<String, @Nullable Object> settings(
      Point point, ClusterSettings cluster, RetryPolicy retry) {
    Map<String, @Nullable Object> settings = new LinkedHashMap<>(point.coordinates());
    settings.put("backoffMicros", retry.baseMicros());
    settings.put("backoffCapMicros", retry.capMicros());
    settings.put(Reports.LOOP, Reports.loop(point.rate() != null));
    settings.put("warmup", point.warmupSeconds());
    settings.put("seconds", point.seconds());
    settings.put("seed", point.seed());
    settings.put("regions", point.regions());
    settings.put("clientRegions", point.regionsWithClients());
    settings.put("tls", cluster.tls());
    settings.put(
        "serverJvm", cluster.processes() ? String.join(" ", cluster.serverJvmOptions()) : null);
    settings.put("check", true);
    return settings;
  }
}
