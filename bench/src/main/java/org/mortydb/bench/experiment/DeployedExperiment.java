package org.mortydb.bench.experiment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.report.Report;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.client.TransactionOptions;
import org.mortydb.config.ClusterConfig;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunObserver;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.Workload;

/**
 * Runs a workload on a cluster that others have started and that stays, and reports on it. What the
 * servers need of their machines is not known here.
 *
 * @param workload what is run; nobody else may use its records meanwhile
 * @param cluster on what
 * @param regions where there are clients, one or more of the cluster's
 * @param loops event loops of the clients of a region, 1 or more
 * @param run how
 * @param check whether the history is kept and checked
 * @param settings what the report says of the settings
 * @param transaction deadline and retries of every transaction
 * @param metricsPort where the clients show their metrics meanwhile; 0 for nowhere
 */
public record DeployedExperiment(
    Workload workload,
    ClusterConfig cluster,
    List<String> regions,
    int loops,
    RunOptions run,
    boolean check,
    Map<String, @Nullable Object> settings,
    TransactionOptions transaction,
    int metricsPort) {

  /**
   * Runs it.
   *
   * @throws org.mortydb.client.ClusterUnreachableException when not enough servers can be reached
   * @throws org.mortydb.workloads.load.LoadFailedException when a transaction cannot be run at all
   */
  public Report execute(Progress progress) throws InterruptedException {
    try (HistoryFolder histories = new HistoryFolder()) {
      ClusterLoad.Outcome outcome =
          new ClusterLoad(cluster, regions, loops, transaction, metricsPort)
              .run(
                  workload,
                  run,
                  check ? histories : null,
                  () -> {},
                  RunObserver.NONE,
                  () -> {},
                  progress);
      return Reports.of(
          cluster.system().name(),
          workload,
          settings,
          outcome.result(),
          Optional.empty(),
          null,
          null,
          check ? Checks.verdict(workload, histories) : null,
          outcome.consistency());
    } catch (IOException e) {
      throw new UncheckedIOException("the history cannot be kept: " + e.getMessage(), e);
    }
  }
}
