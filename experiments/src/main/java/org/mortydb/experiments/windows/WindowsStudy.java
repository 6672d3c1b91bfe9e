package org.mortydb.experiments.windows;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.Environment;
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
 * Runs a workload on several systems in virtual time, and measures their windows.
 *
 * @param workload creates the workload for each system
 * @param cluster the settings of the cluster; its system is replaced
 * @param hosts the machines
 * @param run the load
 * @param calibration the processor costs
 * @param settings the settings in the record
 */
public record WindowsStudy(
    WorkloadSource workload,
    ClusterSettings cluster,
    SimulatedHosts hosts,
    RunOptions run,
    Calibration calibration,
    Map<String, @Nullable Object> settings) {

  /** Creates a workload from a seed. */
  @FunctionalInterface
  public interface WorkloadSource {
    /** A new workload in its initial state. */
    Workload create(long seed);
  }

  /** The result of a system. */
  record Ran(TransactionSystem system, Report report, Windows windows) {}

  /**
   * Runs the workload on all systems.
   *
   * @param systems at least one system
   * @throws LoadFailedException if a transaction cannot run at all, or no key was updated
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
        WindowsRecord.EXPERIMENT,
        settings,
        hot.toString(),
        measured,
        timeline,
        Environment.facts());
  }

  /** Runs the workload on a system. */
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

  /** The most updated key over all systems. */
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
                    "no update of a key committed within the measured time, so there are no"
                        + " windows: use a longer --seconds"));
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
