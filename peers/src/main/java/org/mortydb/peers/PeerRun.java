package org.mortydb.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.experiment.Checks;
import org.mortydb.bench.experiment.Reports;
import org.mortydb.bench.experiment.ResourceProbe;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.report.Consistency;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.Utilisation;
import org.mortydb.check.journal.Check;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.check.journal.SerialReplay;
import org.mortydb.client.TransactionOptions;
import org.mortydb.peers.cassandra.OneShotTransfer;
import org.mortydb.peers.occ.OptimisticClient;
import org.mortydb.peers.occ.VersionedStore;
import org.mortydb.peers.process.Peer;
import org.mortydb.protocol.system.Backoff;
import org.mortydb.workloads.load.AbortCounter;
import org.mortydb.workloads.load.LoadGenerator;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Target;
import org.mortydb.workloads.load.Workload;

/**
 * Runs a workload on another store with the same bodies, load, meters and checks as {@link
 * org.mortydb.bench.experiment.Experiment}.
 *
 * @param workload the workload
 * @param peer the store, which stays open
 * @param run the load
 * @param check whether to keep and check the history
 * @param settings the settings in the report, in addition to the store's facts
 */
record PeerRun(
    Workload workload,
    Peer peer,
    RunOptions run,
    boolean check,
    Map<String, @Nullable Object> settings) {

  /** The retries of optimistic clients, without delay between regions. */
  private static final TransactionOptions PATIENCE =
      RetryDefaults.of(RetryDefaults.retries(Backoff.eager(0)));

  /**
   * Runs the workload.
   *
   * @throws org.mortydb.bench.cluster.ClusterFailedException if a process of the store ends
   * @throws org.mortydb.workloads.load.LoadFailedException if a transaction cannot run at all
   */
  Report execute(Progress progress) throws InterruptedException {
    List<OptimisticClient> clients = new ArrayList<>();
    // No heaps: the query would end a process that is not Java.
    try (HistoryFolder histories = new HistoryFolder();
        ResourceProbe probe = new ResourceProbe(peer.cluster().handles(), List.of())) {
      List<Target> targets = new ArrayList<>();
      for (VersionedStore store : peer.connect(workload)) {
        AbortCounter aborts = new AbortCounter();
        OptimisticClient client = new OptimisticClient(store, PATIENCE, aborts);
        clients.add(client);
        targets.add(new Target(client, aborts, check ? histories.newLog() : null));
      }
      LoadGenerator generator = new LoadGenerator(workload, targets, progress, run.seed());
      generator.fill();
      peer.filled();
      peer.cluster().check();
      RunResult result = generator.run(run, probe);
      Report.HeapUse heaps = probe.heapUse();
      peer.cluster().check();
      Consistency consistency =
          Checks.audit(workload, List.of(result), targets, generator.nextSession(), progress);
      Map<String, @Nullable Object> facts = new LinkedHashMap<>(settings);
      facts.putAll(peer.facts());
      return Reports.of(
          peer.name(),
          workload,
          facts,
          result,
          probe.cpuOfWindow(),
          utilisation(probe, result),
          heaps,
          verdict(histories),
          consistency);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the history: " + e.getMessage(), e);
    } finally {
      clients.forEach(OptimisticClient::close);
    }
  }

  private static @Nullable Utilisation utilisation(ResourceProbe probe, RunResult result) {
    double available = result.window().seconds() * 1e9 * Runtime.getRuntime().availableProcessors();
    return probe
        .cpuOfWindow()
        .map(used -> Utilisation.of(used.childrenNanos() / available, used.ownNanos() / available))
        .orElse(null);
  }

  private @Nullable Check verdict(HistoryFolder histories) throws IOException {
    if (!check || workload instanceof OneShotTransfer) {
      return null; // clients of one-shot transfers see no reads to replay
    }
    List<HistoryLog> logs = peer.inOrder(histories.closeLogs(), histories);
    return Check.of(SerialReplay.check(logs, workload.records(), workload::recordName));
  }
}
