package org.mortydb.bench.experiment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.report.Report;
import org.mortydb.check.journal.Check;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.client.TransactionOptions;
import org.mortydb.config.ClusterConfig;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunObserver;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Workload;

/**
 * Runs a workload on a running cluster, and reports on it. The resource use of the servers is not
 * known.
 *
 * @param workload the workload; no other program may use its records during the run
 * @param cluster the cluster
 * @param regions the regions with clients, at least one
 * @param loops the event loops of the clients of a region, 1 or more
 * @param run the load
 * @param check whether to keep and check the history
 * @param settings the settings in the report
 * @param transaction the deadline and retries of every transaction
 * @param metricsPort the port for the clients' metrics; 0 for none
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
   * Runs the workload.
   *
   * @throws org.mortydb.client.ClusterUnreachableException if too few servers can be reached
   * @throws org.mortydb.workloads.load.LoadFailedException if a transaction cannot run at all
   */
  public Report execute(Progress progress) throws InterruptedException {
    return executeAll(LoadSeries.of(run), progress).getFirst();
  }

  /**
   * Runs several loads one after another, and returns a report on each. The check is one of all.
   *
   * @throws org.mortydb.client.ClusterUnreachableException if too few servers can be reached
   * @throws org.mortydb.workloads.load.LoadFailedException if a transaction cannot run at all
   */
  public List<Report> executeAll(LoadSeries series, Progress progress) throws InterruptedException {
    record Taken(LoadSeries.Load load, RunResult result) {}
    try (HistoryFolder histories = new HistoryFolder()) {
      ClusterLoad.Outcome<Taken> outcome =
          new ClusterLoad(cluster, regions, loops, transaction, metricsPort)
              .run(
                  List.of(new WorkloadLoads(workload, series, settings)),
                  check ? histories : null,
                  () -> {},
                  RunObserver.NONE,
                  Taken::new,
                  () -> {},
                  progress);
      Check verdict = check ? Checks.verdict(cluster.system().name(), workload, histories) : null;
      LoadSeries.Outcome<Taken> ran = outcome.ran().getFirst();
      return ran.loads().stream()
          .map(
              taken ->
                  Reports.of(
                      cluster.system().name(),
                      workload,
                      Reports.settings(settings, taken.load),
                      taken.result,
                      Optional.empty(),
                      null,
                      null,
                      ran.saturation(),
                      null,
                      verdict,
                      outcome.consistency()))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the history: " + e.getMessage(), e);
    }
  }
}
