package org.mortydb.peers.occ;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.mortydb.bench.experiment.Checks;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.report.Consistency;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.check.journal.ReplayVerdict;
import org.mortydb.check.journal.SerialReplay;
import org.mortydb.protocol.system.Backoff;
import org.mortydb.workloads.load.AbortCounter;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.LoadGenerator;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunObserver;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Target;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.retwis.Retwis;
import org.mortydb.workloads.transfer.Transfer;
import org.mortydb.workloads.transfer.TransferOptions;

/** The bodies of the workloads over the adapter, judged by the very checks that Morty is. */
class WorkloadsTest {

  static Stream<Arguments> workloads() {
    return Stream.of(
        Arguments.of("retwis", true),
        Arguments.of("retwis", false),
        Arguments.of("transfer", true),
        Arguments.of("transfer", false));
  }

  private static Workload workload(String name) {
    return name.equals("retwis")
        ? new Retwis(120, 0.9)
        : new Transfer(new TransferOptions(TransferOptions.Form.TRANSACTION, 20, 0.9, 0));
  }

  @ParameterizedTest
  @MethodSource("workloads")
  void theHistoryIsSerializableIfTheStoreChecksVersions(String name, boolean checks)
      throws IOException, InterruptedException {
    Workload workload = workload(name);
    MemoryStore store = new MemoryStore(checks);
    AbortCounter aborts = new AbortCounter();
    try (HistoryFolder histories = new HistoryFolder();
        OptimisticClient client =
            new OptimisticClient(
                store, RetryDefaults.of(RetryDefaults.retries(Backoff.eager(0))), aborts)) {
      List<Target> targets = List.of(new Target(client, aborts, histories.newLog()));
      LoadGenerator generator = new LoadGenerator(workload, targets, Progress.NONE, 7);
      generator.fill();
      RunResult result =
          generator.run(
              new RunOptions(16, OptionalDouble.empty(), Arrivals.POISSON, 0, 0.5, 7),
              RunObserver.NONE);
      Consistency consistency =
          Checks.audit(workload, List.of(result), targets, generator.nextSession(), Progress.NONE);
      ReplayVerdict verdict =
          SerialReplay.check(histories.closeLogs(), workload.records(), workload::recordName);
      assertThat(result.measurement().total().committed()).isPositive();
      if (checks) {
        assertThat(verdict.explanations()).isEmpty();
        assertThat(verdict.violations()).isZero();
        assertThat(consistency == null || consistency.holds()).isTrue();
        assertThat(result.measurement().aborts()).isNotEmpty();
      } else {
        assertThat(verdict.violations()).isPositive();
      }
    }
  }
}
