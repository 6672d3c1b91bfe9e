package org.mortydb.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.report.Consistency;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.client.TransactionOptions;
import org.mortydb.config.ClusterConfig;
import org.mortydb.workloads.load.LoadGenerator;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunObserver;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Target;
import org.mortydb.workloads.load.Workload;

/**
 * The clients' part of a run: fills the records of a running cluster, runs the workload, and audits
 * it.
 *
 * @param config the configuration of the cluster
 * @param regions the regions with clients
 * @param loops the event loops of the clients of a region, 1 or more
 * @param transaction the deadline and retries of every transaction
 * @param metricsPort the port for the clients' metrics; 0 for none
 */
record ClusterLoad(
    ClusterConfig config,
    List<String> regions,
    int loops,
    TransactionOptions transaction,
    int metricsPort) {

  /**
   * The result.
   *
   * @param ran what was taken from the loads of each workload, in order
   * @param consistency the result of the audit; null if there was none
   */
  record Outcome<T>(List<LoadSeries.Outcome<T>> ran, @Nullable Consistency consistency) {}

  /** A step between the phases of a run. */
  @FunctionalInterface
  interface Step {
    /** Takes the step. */
    void run() throws InterruptedException;
  }

  /**
   * @param all the loads, workload by workload; all workloads have the same records, which the
   *     first one fills and audits
   * @param histories the folder of the history; null for none
   * @param afterFilling runs when the records are filled
   * @param observer observes the measured windows
   * @param taker takes the result of each load
   * @param afterRunning runs after the loads and before the audit
   */
  <T> Outcome<T> run(
      List<WorkloadLoads> all,
      @Nullable HistoryFolder histories,
      Step afterFilling,
      RunObserver observer,
      LoadSeries.Taker<T> taker,
      Step afterRunning,
      Progress progress)
      throws IOException, InterruptedException {
    Workload workload = all.getFirst().workload();
    RunOptions run = all.getFirst().series().options();
    try (LoadClients clients =
        LoadClients.connect(
            config,
            regions,
            loops,
            transaction,
            metricsPort,
            run.style(),
            () -> histories == null ? null : histories.newLog())) {
      List<Target> targets = clients.targets();
      LoadGenerator generator = new LoadGenerator(workload, targets, progress, run.seed());
      generator.fill();
      afterFilling.run();
      List<RunResult> results = new ArrayList<>();
      List<LoadSeries.Outcome<T>> ran = new ArrayList<>();
      for (WorkloadLoads loads : all) {
        boolean afterOthers = !ran.isEmpty();
        generator = afterOthers ? generator.drawing(loads.workload()) : generator;
        ran.add(
            loads
                .series()
                .run(
                    generator,
                    observer,
                    (load, result) -> {
                      results.add(result);
                      return taker.take(load, result);
                    },
                    afterOthers));
      }
      afterRunning.run();
      return new Outcome<>(
          ran, Checks.audit(workload, results, targets, generator.nextSession(), progress));
    }
  }
}
