package org.mortydb.bench.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.Checks;
import org.mortydb.bench.experiment.Reports;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.measure.CpuMeter.CpuTime;
import org.mortydb.bench.report.Consistency;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.Report.HeapUse;
import org.mortydb.bench.report.Utilisation;
import org.mortydb.check.journal.Check;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.workloads.WorkloadChoice;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunObserver;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Workload;

/**
 * Runs a workload on a cluster of its own on several hosts, by their agents, and reports on it.
 *
 * @param agents the agents
 * @param workload the workload
 * @param cluster the settings of the cluster; the first regions of the agents' file are its
 *     regions, and it must encrypt if that file says so, and only then
 * @param check whether to keep and check the history
 * @param settings the settings in the report
 * @param transaction the deadline and retries of every transaction
 */
public record FleetExperiment(
    AgentsFile agents,
    WorkloadChoice workload,
    ClusterSettings cluster,
    boolean check,
    Map<String, @Nullable Object> settings,
    TransactionOptions transaction) {

  /** The retries of aborted transactions, by the system and the longest round trip. */
  public static RetryPolicy retry(AgentsFile agents, ClusterSettings cluster) {
    Double millis = agents.roundTripMillis();
    long between = millis == null ? 0 : Math.round(millis * 1_000);
    return RetryDefaults.retries(
        TransactionSystems.named(cluster.system()), between + 2 * cluster.longestDelayMicros());
  }

  private record Taken(LoadSeries.Load load, RunResult result, Usage usage) {}

  /**
   * Runs several loads one after another on one cluster, and returns a report on each. The check is
   * one of all.
   *
   * @throws AgentFailedException if an agent cannot be used, the clocks differ, or a process on a
   *     host has failed; the message names the agent
   * @throws org.mortydb.workloads.load.LoadFailedException if no transaction commits in the search
   *     for a saturated rate
   */
  public List<Report> executeAll(LoadSeries series, Progress progress) throws InterruptedException {
    if (cluster.tls() != agents.encrypt()) {
      throw new IllegalArgumentException("the file of agents must decide about encryption");
    }
    Workload local = workload.create(series.options().seed());
    try (HistoryFolder histories = new HistoryFolder()) {
      LoadSeries.Outcome<Taken> ran;
      Consistency consistency;
      Hosts.Facts hosts;
      HeapUse heaps;
      try (FleetRun run = FleetRun.start(this, series.options(), progress)) {
        hosts = run.hosts().facts();
        FleetLoad load = run.fill(local);
        ran =
            series.run(
                load, RunObserver.NONE, (of, result) -> new Taken(of, result, load.lastUsage()));
        heaps = run.heaps(load.lastUsage());
        consistency =
            check && ran.loads().stream().allMatch(one -> one.result.unfinished() == 0)
                ? run.audit()
                : null;
        run.gather(check ? histories : null);
      }
      Check verdict = check ? Checks.verdict(cluster.system(), local, histories) : null;
      return ran.loads().stream()
          .map(taken -> report(local, taken, hosts, heaps, ran, verdict, consistency))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the history: " + e.getMessage(), e);
    }
  }

  private Report report(
      Workload local,
      Taken taken,
      Hosts.Facts hosts,
      HeapUse heaps,
      LoadSeries.Outcome<Taken> ran,
      @Nullable Check verdict,
      @Nullable Consistency consistency) {
    double windowNanos = taken.result.window().seconds() * 1e9;
    Optional<CpuTime> cpu = taken.usage.cpu();
    Utilisation utilisation =
        cpu.map(
                used ->
                    Utilisation.of(
                        used.childrenNanos() / (windowNanos * hosts.serverProcessors()),
                        used.ownNanos() / (windowNanos * hosts.clientProcessors())))
            .orElse(null);
    Map<String, @Nullable Object> all = Reports.settings(settings, taken.load);
    all.putAll(hosts.settings());
    return Reports.of(
        cluster.system(),
        local,
        all,
        taken.result,
        cpu,
        utilisation,
        heaps,
        ran.saturation(),
        taken.usage.pauses(),
        verdict,
        consistency,
        hosts.environment());
  }
}
