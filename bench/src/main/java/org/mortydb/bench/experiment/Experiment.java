package org.mortydb.bench.experiment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.LocalCluster;
import org.mortydb.bench.measure.CpuMeter.CpuTime;
import org.mortydb.bench.measure.Pauses;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.Utilisation;
import org.mortydb.check.journal.Check;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.client.TransactionOptions;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Workload;

/**
 * Runs a workload on a cluster of its own, and reports on it.
 *
 * @param workload the workload
 * @param cluster the settings of the cluster
 * @param run the load
 * @param check whether to keep and check the history
 * @param settings the settings in the report
 * @param transaction the deadline and retries of every transaction
 * @param metricsPort the port for the clients' metrics; 0 for none
 * @param down the number of servers, from the last region on, that are killed once the records are
 *     filled; at most f, and 0 unless servers have their own processes
 */
public record Experiment(
    Workload workload,
    ClusterSettings cluster,
    RunOptions run,
    boolean check,
    Map<String, @Nullable Object> settings,
    TransactionOptions transaction,
    int metricsPort,
    int down) {

  /** Checks the number of servers that are killed. */
  public Experiment {
    if (down < 0 || down > cluster.f() || (down > 0 && !cluster.processes())) {
      throw new IllegalArgumentException(
          "%d of %d servers cannot be killed".formatted(down, cluster.regionCount()));
    }
  }

  /** An experiment with the retries of {@link RetryDefaults}. */
  public Experiment(
      Workload workload,
      ClusterSettings cluster,
      RunOptions run,
      boolean check,
      Map<String, @Nullable Object> settings) {
    this(workload, cluster, run, check, settings, RetryDefaults.of(cluster));
  }

  /** An experiment without metrics of clients. */
  public Experiment(
      Workload workload,
      ClusterSettings cluster,
      RunOptions run,
      boolean check,
      Map<String, @Nullable Object> settings,
      TransactionOptions transaction) {
    this(workload, cluster, run, check, settings, transaction, 0, 0);
  }

  /** This experiment with a port for the clients' metrics. */
  public Experiment withMetricsPort(int port) {
    return new Experiment(workload, cluster, run, check, settings, transaction, port, down);
  }

  /** This experiment with servers that are killed once the records are filled. */
  public Experiment withDown(int servers) {
    return new Experiment(
        workload, cluster, run, check, settings, transaction, metricsPort, servers);
  }

  /**
   * Runs the workload.
   *
   * @throws org.mortydb.bench.cluster.ClusterFailedException if the cluster does not start or a
   *     server ends early
   * @throws org.mortydb.workloads.load.LoadFailedException if a transaction cannot run at all
   */
  public Report execute(Progress progress) throws InterruptedException {
    return executeAll(LoadSeries.of(run), progress).getFirst();
  }

  private record Taken(
      LoadSeries.Load load,
      RunResult result,
      Optional<CpuTime> cpu,
      OptionalDouble others,
      OptionalDouble compilers,
      OptionalDouble collectors,
      @Nullable Pauses pauses) {}

  /**
   * Runs several loads one after another on one cluster, and returns a report on each. The check
   * and the heaps are those of all loads together.
   *
   * @throws org.mortydb.bench.cluster.ClusterFailedException if the cluster does not start or a
   *     server ends early
   * @throws org.mortydb.workloads.load.LoadFailedException if a transaction cannot run at all
   */
  public List<Report> executeAll(LoadSeries series, Progress progress) throws InterruptedException {
    return executeAll(List.of(new WorkloadLoads(workload, series, settings)), progress);
  }

  /**
   * Runs the loads of several workloads one after another on one cluster, and returns a report on
   * each load. The check and the heaps are those of all loads together.
   *
   * @param all at least one; all workloads have the same records
   * @throws org.mortydb.bench.cluster.ClusterFailedException if the cluster does not start or a
   *     server ends early
   * @throws org.mortydb.workloads.load.LoadFailedException if a transaction cannot run at all
   */
  public List<Report> executeAll(List<WorkloadLoads> all, Progress progress)
      throws InterruptedException {
    CodeVersion.ofThisProcess();
    AtomicReference<Report.@Nullable HeapUse> heaps = new AtomicReference<>();
    try (HistoryFolder histories = new HistoryFolder()) {
      ClusterLoad.Outcome<Taken> outcome;
      try (LocalCluster servers = LocalCluster.start(cluster);
          ResourceProbe probe = new ResourceProbe(lasting(servers.processes()))) {
        outcome =
            new ClusterLoad(
                    servers.config(),
                    cluster.regions().subList(0, cluster.clientRegions()),
                    cluster.clientLoops(),
                    transaction,
                    metricsPort)
                .run(
                    all,
                    check ? histories : null,
                    () -> {
                      servers.check();
                      killTheLast(servers);
                    },
                    probe,
                    (load, result) ->
                        new Taken(
                            load,
                            result,
                            probe.cpuOfWindow(),
                            probe.othersOfWindow(),
                            probe.compilersOfWindow(),
                            probe.collectorsOfWindow(),
                            probe.pausesOfWindow()),
                    () -> {
                      heaps.set(probe.heapUse());
                      servers.check();
                    },
                    progress);
        servers.check();
      }
      Check verdict =
          check ? Checks.verdict(cluster.system(), all.getFirst().workload(), histories) : null;
      List<Report> reports = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        WorkloadLoads loads = all.get(i);
        LoadSeries.Outcome<Taken> ran = outcome.ran().get(i);
        for (Taken taken : ran.loads()) {
          reports.add(
              Reports.of(
                  cluster.system(),
                  loads.workload(),
                  Reports.settings(loads.settings(), taken.load),
                  taken.result,
                  taken.cpu,
                  utilisation(taken.cpu, taken.result),
                  heaps.get(),
                  ran.saturation(),
                  taken.pauses,
                  verdict,
                  outcome.consistency(),
                  Environment.facts(taken.others, taken.compilers, taken.collectors)));
        }
      }
      return reports;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the history: " + e.getMessage(), e);
    }
  }

  /** The servers that are not killed. */
  private <T> List<T> lasting(List<T> servers) {
    return servers.subList(0, servers.size() - down);
  }

  private void killTheLast(LocalCluster servers) throws InterruptedException {
    for (int i = 1; i <= down; i++) {
      servers.kill(cluster.regionCount() - i);
    }
  }

  /** The utilisation; null unless servers have their own processes. */
  private @Nullable Utilisation utilisation(Optional<CpuTime> cpu, RunResult result) {
    double available = result.window().seconds() * 1e9 * Runtime.getRuntime().availableProcessors();
    return cluster.processes()
        ? cpu.map(
                used ->
                    Utilisation.of(used.childrenNanos() / available, used.ownNanos() / available))
            .orElse(null)
        : null;
  }
}
