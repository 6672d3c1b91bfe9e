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
 * @param workload what is run
 * @param cluster on what
 * @param run how
 * @param check whether the history is kept and checked
 * @param settings what the report says of the settings
 * @param transaction deadline and retries of every transaction
 * @param metricsPort where the clients show their metrics meanwhile; 0 for nowhere
 */
public record Experiment(
    Workload workload,
    ClusterSettings cluster,
    RunOptions run,
    boolean check,
    Map<String, @Nullable Object> settings,
    TransactionOptions transaction,
    int metricsPort) {

  /** One whose transactions are tried again as {@link Patience} says. */
  public Experiment(
      Workload workload,
      ClusterSettings cluster,
      RunOptions run,
      boolean check,
      Map<String, @Nullable Object> settings) {
    this(workload, cluster, run, check, settings, Patience.of(cluster));
  }

  /** One whose clients show no metrics. */
  public Experiment(
      Workload workload,
      ClusterSettings cluster,
      RunOptions run,
      boolean check,
      Map<String, @Nullable Object> settings,
      TransactionOptions transaction) {
    this(workload, cluster, run, check, settings, transaction, 0);
  }

  /** The same, whose clients show their metrics at a port of this machine meanwhile. */
  public Experiment withMetricsPort(int port) {
    return new Experiment(workload, cluster, run, check, settings, transaction, port);
  }

  /**
   * Runs it.
   *
   * @throws org.mortydb.bench.cluster.ClusterFailedException when the cluster does not start, or a
   *     server ends before its time
   * @throws org.mortydb.workloads.load.LoadFailedException when a transaction cannot be run at all
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
      throw new UncheckedIOException("the history cannot be kept: " + e.getMessage(), e);
    }
  }

  /** Known when servers have processes of their own. */
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
