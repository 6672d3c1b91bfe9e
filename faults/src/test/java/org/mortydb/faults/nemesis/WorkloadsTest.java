package org.mortydb.faults.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.mortydb.check.anomaly.Anomaly;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.anomaly.Order;
import org.mortydb.check.anomaly.Verdict;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.check.jepsen.Operation;
import org.mortydb.check.jepsen.OperationType;
import org.mortydb.faults.nemesis.RecordedWorkload.Executor;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.EmbeddedOptions;

/** The workloads without faults: honest clients pass, and those that deceive are found out. */
@Tag("slow")
@Timeout(120)
final class WorkloadsTest {
  private static final int OPERATORS = 8;
  private static final int OPERATIONS = 90;
  private static final long TIMEOUT_MILLIS = 60_000;

  private static Verdict verdict(HistoryCheck kind, PlantedError planted)
      throws InterruptedException {
    // A client and servers with one clock; without the wait registers are not linearizable.
    EmbeddedOptions options =
        kind == HistoryCheck.LINEAR
            ? EmbeddedOptions.DEFAULTS.withSetting("server.replica.clock-uncertainty", "1ms")
            : kind == HistoryCheck.LEVELS
                ? EmbeddedOptions.DEFAULTS.withSetting("server.replica.watermark-lag", "1s")
                : EmbeddedOptions.DEFAULTS;
    try (EmbeddedCluster cluster = EmbeddedCluster.start(options)) {
      return kind.check(history(kind, new RequestRunner(cluster.client(), planted)), Order.NONE);
    }
  }

  @ParameterizedTest
  @EnumSource(HistoryCheck.class)
  void honestClientsPass(HistoryCheck kind) throws InterruptedException {
    Verdict verdict = verdict(kind, PlantedError.NONE);
    assertThat(verdict.isSerializable()).as("%s", verdict).isTrue();
    assertThat(verdict.coverage().readsChecked()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({
    "APPEND, SPLIT, G_SINGLE INTERNAL G0 G1C INTERMEDIATE_READ",
    "APPEND, MISREPORT, ABORTED_READ",
    "REGISTER, SPLIT, INTERNAL G_SINGLE G1C G2_ITEM LOST_UPDATE",
    "LONG_FORK, MISREPORT, ABORTED_READ",
    "BANK, SPLIT, WRONG_TOTAL",
    "SET, FORGET, LOST_ELEMENT",
    "G2, SPLIT, G2_PREDICATE",
    "G2, MISREPORT, FAILED_WRITE",
    "MONOTONIC, SPLIT, LOST_UPDATE G2_ITEM",
    "MONOTONIC, FORGET, LOST_UPDATE G2_ITEM",
    "MONOTONIC, MISREPORT, FAILED_WRITE",
    "LEVELS, SPLIT, LOST_UPDATE G2_ITEM",
    "LEVELS, FORGET, LOST_UPDATE G2_ITEM",
    "LEVELS, MISREPORT, FAILED_WRITE",
    "LINEAR, SPLIT, NOT_LINEARIZABLE",
    "LINEAR, FORGET, NOT_LINEARIZABLE",
    "LINEAR, MISREPORT, NOT_LINEARIZABLE",
    "FOLLOW, SPLIT, G_SINGLE G2_ITEM LOST_UPDATE",
    "FOLLOW, FORGET, LOST_UPDATE G_SINGLE G2_ITEM UNKNOWN_WRITER LOST_ELEMENT",
    "FOLLOW, MISREPORT, ABORTED_READ"
  })
  void thoseThatDeceiveAreFoundOut(HistoryCheck kind, PlantedError planted, String kinds)
      throws InterruptedException {
    List<Kind> expected = Arrays.stream(kinds.split(" ")).map(Kind::valueOf).toList();
    Verdict verdict = verdict(kind, planted);
    // Of a register that holds few values a deceit shows only if it is read before the next write.
    for (int more = 0;
        kind == HistoryCheck.LINEAR && verdict.isSerializable() && more < 6;
        more++) {
      verdict = verdict(kind, planted);
    }
    assertThat(verdict)
        .isInstanceOfSatisfying(
            Verdict.Violated.class,
            violated ->
                assertThat(violated.first())
                    .extracting(Anomaly::kind)
                    .containsAnyElementsOf(expected));
  }

  private static List<Operation> history(HistoryCheck kind, RequestRunner runner)
      throws InterruptedException {
    Executor executor = (workload, request, _) -> runner.execute(workload, request);
    RecordedWorkload recorded = new RecordedWorkload(kind, System.nanoTime());
    for (Request request : recorded.workload().opening()) {
      assertThat(executor.execute(kind, request, TIMEOUT_MILLIS).ok()).isTrue();
    }
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < OPERATORS; i++) {
      int process = i;
      threads.add(Thread.ofVirtual().start(() -> operate(recorded, process, executor)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    int process = OPERATORS;
    for (Request request : recorded.workload().closing()) {
      assertThat(recorded.carryOut(request, process++, executor, TIMEOUT_MILLIS).ok()).isTrue();
    }
    return recorded.operations();
  }

  private static void operate(RecordedWorkload recorded, int process, Executor executor) {
    RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
    try {
      for (int i = 0; i < OPERATIONS; i++) {
        Reply reply = recorded.carryOut(recorded.next(random), process, executor, TIMEOUT_MILLIS);
        assertThat(reply.type()).isNotEqualTo(OperationType.INFO);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
