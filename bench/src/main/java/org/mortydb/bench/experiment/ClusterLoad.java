package org.mortydb.bench.experiment;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.report.Consistency;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.telemetry.tracing.TransactionTracing;
import org.mortydb.workloads.load.AbortCounter;
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

  /** Enough for a distant, busy machine. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

  /**
   * The result.
   *
   * @param ran what was taken from each load
   * @param consistency the result of the audit; null if there was none
   */
  record Outcome<T>(LoadSeries.Outcome<T> ran, @Nullable Consistency consistency) {}

  /**
   * @param series the loads
   * @param histories the folder of the history; null for none
   * @param afterFilling runs when the records are filled
   * @param observer observes the measured windows
   * @param taker takes the result of each load
   * @param afterRunning runs after the loads and before the audit
   */
  <T> Outcome<T> run(
      Workload workload,
      LoadSeries series,
      @Nullable HistoryFolder histories,
      Runnable afterFilling,
      RunObserver observer,
      LoadSeries.Taker<T> taker,
      Runnable afterRunning,
      Progress progress)
      throws IOException, InterruptedException {
    RunOptions run = series.options();
    List<MortyClient> clients = new ArrayList<>();
    List<TransactionTracing> tracings = new ArrayList<>();
    try (ClientPort port = ClientPort.open(metricsPort)) {
      List<Target> targets = new ArrayList<>();
      for (String region : regions) {
        AbortCounter aborts = new AbortCounter();
        ClientOptions options =
            ClientOptions.inRegion(region)
                .withConnectTimeout(CONNECT_TIMEOUT)
                .withEngines(loops)
                .withTransaction(transaction)
                .withListener(aborts);
        if (config.tracing().isOn()) {
          String service = TransactionTracing.serviceOfClients(region);
          TransactionTracing tracing = TransactionTracing.toZipkin(service, config);
          tracings.add(tracing);
          options = options.withObserver(tracing.ofClients());
        }
        MortyClient client = MortyClient.connect(config, port.observing(options));
        clients.add(client);
        HistoryLog log = histories == null ? null : histories.newLog();
        targets.add(new Target(run.style().on(client), aborts, log));
      }
      LoadGenerator generator = new LoadGenerator(workload, targets, progress, run.seed());
      generator.fill();
      afterFilling.run();
      List<RunResult> results = new ArrayList<>();
      LoadSeries.Outcome<T> ran =
          series.run(
              generator,
              observer,
              (rate, result) -> {
                results.add(result);
                return taker.take(rate, result);
              });
      afterRunning.run();
      return new Outcome<>(
          ran, Checks.audit(workload, results, targets, generator.nextSession(), progress));
    } finally {
      clients.forEach(MortyClient::close);
      tracings.forEach(TransactionTracing::close);
    }
  }
}
