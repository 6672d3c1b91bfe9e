package org.mortydb.bench.simulated;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.Checks;
import org.mortydb.bench.experiment.CodeVersion;
import org.mortydb.bench.experiment.Reports;
import org.mortydb.bench.measure.CpuMeter.CpuTime;
import org.mortydb.bench.report.Consistency;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.Utilisation;
import org.mortydb.bench.simulated.Loop.Usage;
import org.mortydb.check.journal.Check;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.client.TransactionOptions;
import org.mortydb.workloads.load.AbortCounter;
import org.mortydb.workloads.load.LoadGenerator;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunObserver;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Saturation;
import org.mortydb.workloads.load.Target;
import org.mortydb.workloads.load.Workload;

/**
 * Runs a workload on a simulated cluster, and reports on it like {@link
 * org.mortydb.bench.experiment.Experiment}. The same seed and settings yield the same figures.
 *
 * @param workload the workload
 * @param cluster the settings of the cluster, without TLS and without a directory for data: what
 *     servers store takes time, but nothing is kept
 * @param hosts the machines
 * @param run the load, in virtual time
 * @param transaction the deadline and retries of every transaction
 * @param calibration the processor costs
 * @param check whether to keep and check the history
 * @param settings the settings in the report
 */
public record SimulatedExperiment(
    Workload workload,
    ClusterSettings cluster,
    SimulatedHosts hosts,
    RunOptions run,
    TransactionOptions transaction,
    Calibration calibration,
    boolean check,
    Map<String, @Nullable Object> settings) {

  /** The setting with the {@link Calibration#digest} in a report. */
  public static final String COSTS = "costs";

  /**
   * Runs the workload.
   *
   * @throws InvalidCalibrationException if the calibration lacks the system, the workload, or the
   *     costs of the log that the servers have
   * @throws org.mortydb.workloads.load.LoadFailedException if a transaction cannot run at all
   */
  public Report execute(Progress progress) throws InterruptedException {
    return executeAll(LoadSeries.of(run), progress).getFirst();
  }

  /**
   * Runs several loads one after another on one cluster, and returns a report on each. The check is
   * one of all.
   *
   * @throws InvalidCalibrationException if the calibration lacks the system, the workload, or the
   *     costs of the log that the servers have
   * @throws org.mortydb.workloads.load.LoadFailedException if a transaction cannot run at all
   */
  public List<Report> executeAll(LoadSeries series, Progress progress) throws InterruptedException {
    return runAll(series, progress, null, null).stream().map(Ran::report).toList();
  }

  /**
   * Runs the workload with an observer, which does not affect the result.
   *
   * @throws InvalidCalibrationException if the calibration lacks the system, the workload, or the
   *     costs of the log that the servers have
   * @throws org.mortydb.workloads.load.LoadFailedException if a transaction cannot run at all
   */
  public Report execute(Progress progress, ClusterObserver observer) throws InterruptedException {
    return runAll(LoadSeries.of(run), progress, null, observer).getFirst().report;
  }

  /** A report, and the processor time of event loops within the window. */
  record Ran(Report report, Usage servers, Usage clients) {}

  /**
   * Runs the workload.
   *
   * @param gauge measures the steps within the window; null for none
   */
  Ran run(Progress progress, @Nullable Gauge gauge) throws InterruptedException {
    return runAll(LoadSeries.of(run), progress, gauge, null).getFirst();
  }

  private record Taken(LoadSeries.Load load, RunResult result, Usage servers, Usage clients) {}

  private List<Ran> runAll(
      LoadSeries series,
      Progress progress,
      @Nullable Gauge gauge,
      @Nullable ClusterObserver observer)
      throws InterruptedException {
    CodeVersion.ofThisProcess();
    SystemCosts costs = calibration.costs(cluster.system(), workload.name());
    SimulatedCluster simulated =
        new SimulatedCluster(
            cluster,
            hosts,
            calibration.transport(),
            calibration.storage(),
            costs,
            calibration.scale(cluster.system()),
            run.seed(),
            gauge);
    try (HistoryFolder histories = new HistoryFolder()) {
      List<Target> targets = targets(simulated, histories, observer);
      LoadGenerator generator =
          new LoadGenerator(workload, targets, progress, run.seed(), simulated.clock());
      simulated.fill(true);
      generator.fill();
      simulated.fill(false);
      if (observer != null) {
        simulated.observation().start(observer);
      }
      UsageProbe probe = new UsageProbe(simulated, gauge, observer);
      LoadSeries.Outcome<Taken> outcome =
          series.run(
              generator,
              probe,
              (load, result) -> new Taken(load, result, probe.servers(), probe.clients()));
      List<RunResult> results = outcome.loads().stream().map(Taken::result).toList();
      @Nullable Consistency consistency =
          Checks.audit(workload, results, targets, generator.nextSession(), progress);
      @Nullable Check verdict =
          check ? Checks.verdict(cluster.system(), workload, histories) : null;
      return outcome.loads().stream()
          .map(
              taken ->
                  new Ran(
                      report(taken, simulated, outcome.saturation(), verdict, consistency),
                      taken.servers,
                      taken.clients))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the history: " + e.getMessage(), e);
    }
  }

  private Report report(
      Taken taken,
      SimulatedCluster simulated,
      @Nullable Saturation saturation,
      @Nullable Check verdict,
      @Nullable Consistency consistency) {
    double nanos = taken.result.window().seconds() * 1e9;
    return Reports.of(
        cluster.system(),
        workload,
        Reports.settings(withCosts(), taken.load),
        taken.result,
        Optional.of(new CpuTime(taken.clients.busyNanos, taken.servers.busyNanos)),
        Utilisation.of(
            taken.servers.busyNanos / nanos / simulated.serverCores(),
            taken.clients.busyNanos / nanos / simulated.clientCores()),
        null,
        saturation,
        null,
        verdict,
        consistency);
  }

  /** The settings, with what tells the processor costs from others. */
  private Map<String, @Nullable Object> withCosts() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>(settings);
    all.put(COSTS, calibration.digest());
    return all;
  }

  private List<Target> targets(
      SimulatedCluster simulated, HistoryFolder histories, @Nullable ClusterObserver observer)
      throws IOException {
    Map<SimulatedClient, AbortCounter> counters = new LinkedHashMap<>();
    List<SimulatedClient> clients =
        simulated.buildClients(
            transaction,
            client -> {
              AbortCounter counter = new AbortCounter(simulated.clock());
              counters.put(client, counter);
              return observer == null
                  ? counter
                  : attempt -> {
                    counter.completed(attempt);
                    if (simulated.observation().isOn()) {
                      observer.ended(attempt, simulated.clock().nanos());
                    }
                  };
            });
    List<Target> targets = new ArrayList<>();
    for (SimulatedClient client : clients) {
      @Nullable HistoryLog log = check ? histories.newLog() : null;
      AbortCounter counter = counters.get(client);
      if (counter != null) {
        targets.add(new Target(client, counter, log));
      }
    }
    return targets;
  }

  /** Measures the processor time of loops within the window. */
  private static final class UsageProbe implements RunObserver {
    private final SimulatedCluster simulated;
    private final @Nullable Gauge gauge;
    private final @Nullable ClusterObserver observer;
    private Usage servers = new Usage();
    private Usage clients = new Usage();

    UsageProbe(
        SimulatedCluster simulated, @Nullable Gauge gauge, @Nullable ClusterObserver observer) {
      this.simulated = simulated;
      this.gauge = gauge;
      this.observer = observer;
    }

    @Override
    public void windowBegins() {
      servers = simulated.serverUsage().copy();
      clients = simulated.clientUsage().copy();
      if (gauge != null) {
        gauge.measure(true);
      }
      if (observer != null) {
        observer.windowBegins(simulated.clock().nanos());
      }
    }

    @Override
    public void windowEnds() {
      servers = simulated.serverUsage().since(servers);
      clients = simulated.clientUsage().since(clients);
      if (gauge != null) {
        gauge.measure(false);
      }
      if (observer != null) {
        observer.windowEnds(simulated.clock().nanos());
      }
    }

    Usage servers() {
      return servers;
    }

    Usage clients() {
      return clients;
    }
  }
}
