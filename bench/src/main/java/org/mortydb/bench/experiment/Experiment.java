package org.mortydb.bench.experiment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.LocalCluster;
import org.mortydb.bench.measure.CpuMeter.CpuTime;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.Utilisation;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.client.TransactionOptions;
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
 */
public record Experiment(
    Workload workload,
    ClusterSettings cluster,
    RunOptions run,
    boolean check,
    Map<String, @Nullable Object> settings,
    TransactionOptions transaction,
    int metricsPort) {

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
    this(workload, cluster, run, check, settings, transaction, 0);
  }

  /** This experiment with a port for the clients' metrics. */
  public Experiment withMetricsPort(int port) {
    return new Experiment(workload, cluster, run, check, settings, transaction, port);
  }

  /**
   * Runs the workload.
   *
   * @throws org.mortydb.bench.cluster.ClusterFailedException if the cluster does not start or a
   *     server ends early
   * @throws org.mortydb.workloads.load.LoadFailedException if a transaction cannot run at all
   */
  public Report execute(Progress progress) throws InterruptedException {
    AtomicReference<Report.@Nullable HeapUse> heaps = new AtomicReference<>();
    try (HistoryFolder histories = new HistoryFolder()) {
      try (LocalCluster servers = LocalCluster.start(cluster);
          ResourceProbe probe = new ResourceProbe(servers.processes())) {
        ClusterLoad.Outcome ran =
            new ClusterLoad(
                    servers.config(),
                    cluster.regions().subList(0, cluster.clientRegions()),
                    cluster.clientLoops(),
                    transaction,
                    metricsPort)
                .run(
                    workload,
                    run,
                    check ? histories : null,
                    servers::check,
                    probe,
                    () -> {
                      heaps.set(probe.heapUse());
                      servers.check();
                    },
                    progress);
        servers.check();
        servers.close();
        return Reports.of(
            cluster.system(),
            workload,
            settings,
            ran.result(),
            probe.cpuOfWindow(),
            utilisation(probe.cpuOfWindow(), ran.result()),
            heaps.get(),
            check ? Checks.verdict(workload, histories) : null,
            ran.consistency());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the history: " + e.getMessage(), e);
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
