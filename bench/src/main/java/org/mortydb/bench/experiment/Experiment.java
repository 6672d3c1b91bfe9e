package org.mortydb.bench.experiment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.LocalCluster;
import org.mortydb.bench.history.HistoryFolder;
import org.mortydb.bench.load.AbortCounter;
import org.mortydb.bench.load.LoadGenerator;
import org.mortydb.bench.load.Progress;
import org.mortydb.bench.load.RunOptions;
import org.mortydb.bench.load.RunResult;
import org.mortydb.bench.load.Target;
import org.mortydb.bench.load.Workload;
import org.mortydb.bench.measure.CpuMeter.CpuTime;
import org.mortydb.bench.report.Consistency;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.Utilisation;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;

/**
 * Runs a workload on a cluster of its own, and reports on it.
 *
 * @param workload what is run
 * @param cluster on what
 * @param run how
 * @param check whether the history is kept and checked
 * @param settings what the report says of the settings
 * @param transaction deadline and retries of every transaction
 */
public record Experiment(
    Workload workload,
    ClusterSettings cluster,
    RunOptions run,
    boolean check,
    Map<String, @Nullable Object> settings,
    TransactionOptions transaction) {

  /** One whose transactions are tried again {@linkplain Backoff as usual}. */
  public Experiment(
      Workload workload,
      ClusterSettings cluster,
      RunOptions run,
      boolean check,
      Map<String, @Nullable Object> settings) {
    this(workload, cluster, run, check, settings, Backoff.patience(cluster));
  }

  /**
   * Runs it.
   *
   * @throws org.mortydb.bench.cluster.ClusterFailedException when the cluster does not start, or a
   *     server ends before its time
   * @throws org.mortydb.bench.load.LoadFailedException when a transaction cannot be run at all
   */
  public Report execute(Progress progress) throws InterruptedException {
    try (HistoryFolder histories = new HistoryFolder()) {
      try (LocalCluster servers = LocalCluster.start(cluster);
          ResourceProbe probe = new ResourceProbe(servers.processes())) {
        Ran ran = load(servers, histories, probe, progress);
        servers.check();
        servers.close();
        return Reports.of(
            cluster.system(),
            workload,
            settings,
            ran.result,
            probe.cpuOfWindow(),
            utilisation(probe.cpuOfWindow(), ran.result),
            ran.heaps,
            check ? Checks.verdict(workload, histories) : null,
            ran.consistency);
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

  private record Ran(RunResult result, Report.HeapUse heaps, @Nullable Consistency consistency) {}

  private Ran load(
      LocalCluster servers, HistoryFolder histories, ResourceProbe probe, Progress progress)
      throws IOException, InterruptedException {
    List<MortyClient> clients = new ArrayList<>();
    try {
      List<Target> targets = new ArrayList<>();
      for (String region : cluster.regions().subList(0, cluster.clientRegions())) {
        AbortCounter aborts = new AbortCounter();
        ClientOptions options =
            ClientOptions.inRegion(region)
                .withEngines(cluster.clientLoops())
                .withTransaction(transaction)
                .withListener(aborts);
        MortyClient client = MortyClient.connect(servers.config(), options);
        clients.add(client);
        targets.add(new Target(client, aborts, check ? histories.newLog() : null));
      }
      LoadGenerator generator = new LoadGenerator(workload, targets, progress, run.seed());
      generator.fill();
      servers.check();
      RunResult result = generator.run(run, probe);
      Report.HeapUse heaps = probe.heapUse();
      servers.check();
      return new Ran(
          result,
          heaps,
          Checks.audit(workload, result, targets, generator.nextSession(), progress));
    } finally {
      clients.forEach(MortyClient::close);
    }
  }
}
