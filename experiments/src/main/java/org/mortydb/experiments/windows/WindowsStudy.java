package org.mortydb.experiments.windows;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.simulated.Calibration;
import org.mortydb.bench.simulated.SimulatedExperiment;
import org.mortydb.bench.simulated.SimulatedHosts;
import org.mortydb.experiments.windows.WindowsRecord.Lengths;
import org.mortydb.experiments.windows.WindowsRecord.SystemWindows;
import org.mortydb.experiments.windows.WindowsRecord.Timeline;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.workloads.load.LoadFailedException;
import org.mortydb.workloads.load.Percentiles;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.Rounded;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.Workload;

/**
 * Runs one workload on several systems in virtual time, and measures their windows.
 *
 * @param workload what is run; made anew for each system
 * @param cluster on what; its system is replaced
 * @param hosts on which machines
 * @param run how
 * @param calibration what things cost
 * @param settings what the record says of the settings
 */
public record WindowsStudy(
    WorkloadSource workload,
    ClusterSettings cluster,
    SimulatedHosts hosts,
    RunOptions run,
    Calibration calibration,
    Map<String, @Nullable Object> settings) {

  /** Makes a workload by a seed. */
  @FunctionalInterface
  public interface WorkloadSource {
    /** A new one, in its first state. */
    Workload create(long seed);
  }

  /** What became of one system. */
  record Ran(TransactionSystem system, Report report, Windows windows) {}

  /**
   * Runs all.
   *
   * @param systems at least one
   * @throws LoadFailedException when a transaction cannot be run at all, or no key was updated
   */
  public WindowsRecord execute(List<TransactionSystem> systems, Progress progress)
      throws InterruptedException {
    List<Ran> all = new ArrayList<>();
    for (TransactionSystem system : systems) {
      all.add(run(system, progress));
    }
    Key hot = hottest(all);
    List<SystemWindows> measured = all.stream().map(ran -> summary(ran, hot)).toList();
    Timeline timeline = Excerpt.of(all, hot);
    return new WindowsRecord(
        WindowsRecord.EXPERIMENT, settings, hot.toString(), measured, timeline);
  }

  /** Runs one. */
  Ran run(TransactionSystem system, Progress progress) throws InterruptedException {
    WindowCollector collector = new WindowCollector();
    ClusterSettings own = with(system);
    Report report =
        new SimulatedExperiment(
                workload.create(run.seed()),
                own,
                hosts,
                run,
                RetryDefaults.of(own),
                calibration,
                true,
                Map.of())
            .execute(progress, collector);
    return new Ran(system, report, collector.windows());
  }

  private ClusterSettings with(TransactionSystem system) {
    Map<String, String> others = new LinkedHashMap<>(cluster.others());
    others.put(ClusterSettings.SYSTEM, system.name());
    return new ClusterSettings(
        cluster.f(),
        cluster.partitions(),
        cluster.delayMicros(),
        cluster.tls(),
        cluster.durability(),
        cluster.data(),
        cluster.processes(),
        cluster.serverLoops(),
        cluster.serverJvmOptions(),
        cluster.clientRegions(),
        cluster.clientLoops(),
        others);
  }

  /** The key that is updated most often, over all systems. */
  private static Key hottest(List<Ran> all) {
    Map<Key, Integer> counts = new TreeMap<>();
    for (Ran ran : all) {
      ran.windows.updates().forEach(window -> counts.merge(window.key(), 1, Integer::sum));
    }
    return counts.entrySet().stream()
        .max(
            Map.Entry.<Key, Integer>comparingByValue()
                .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
        .map(Map.Entry::getKey)
        .orElseThrow(
            () ->
                new LoadFailedException(
                    "no transaction that updates a key committed within the time measured: there"
                        + " are no windows; measure for longer"));
  }

  private static SystemWindows summary(Ran ran, Key hot) {
    Windows windows = ran.windows;
    Windows ofHot = windows.of(hot);
    Windows.Order order = windows.order();
    return new SystemWindows(
        ran.system.name(),
        ran.report.committedPerSecond(),
        ran.report.commitRate(),
        ran.report.serializable(),
        lengths(ofHot, Rounded.to(4, ofHot.occupied())),
        lengths(windows, null),
        order.pairs(),
        order.overlapping(),
        order.separated(),
        windows.unseen());
  }

  private static Lengths lengths(Windows windows, @Nullable Double occupied) {
    long updates = windows.updates().count();
    return new Lengths(
        updates,
        Rounded.to(1, updates / windows.seconds()),
        windows.committed().count(),
        windows.aborted().count(),
        occupied,
        Percentiles.of(Windows.micros(windows.updates(), KeyWindow::serializationNanos)),
        Percentiles.of(Windows.micros(windows.committed(), KeyWindow::validityNanos)),
        Percentiles.of(Windows.micros(windows.committed(), KeyWindow::commitNanos)));
  }
}
