package org.mortydb.faults.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.check.anomaly.Order;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.check.jepsen.Operation;
import org.mortydb.check.jepsen.OperationReader;
import org.mortydb.workloads.load.Progress;

/** All faults on real processes, for as short as it takes to see each of them. */
@Tag("slow")
@Timeout(300)
final class FaultRunTest {
  private static final List<String> SERVER_JVM =
      List.of(
          "-Xms32m",
          "-Xmx192m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseCompactObjectHeaders",
          "--enable-native-access=ALL-UNNAMED");

  @TempDir Path folder;

  /** Partitions are split, merged and moved, while servers die. */
  @Test
  void listsAndRangesSurviveChangesOfTheMap() throws Exception {
    ClusterSettings cluster =
        new ClusterSettings(
            1,
            1,
            OptionalLong.empty(),
            false,
            "sync",
            folder,
            true,
            1,
            SERVER_JVM,
            1,
            1,
            Map.of("cluster.changes", "true"));
    FaultRunOptions options =
        new FaultRunOptions(
            List.of(HistoryCheck.APPEND, HistoryCheck.G2),
            EnumSet.of(Fault.KILL, Fault.CHANGE),
            12,
            2,
            2,
            8,
            100,
            40,
            60,
            7,
            PlantedError.NONE,
            Order.NONE);
    FaultRunReport report =
        new FaultRun(options, cluster, Map.of(), Map.of("seconds", 12)).execute(Progress.NONE);
    assertThat(report.valid()).as(report.text()).isTrue();
    assertThat(report.shown()).as(report.text()).isTrue();
    assertThat(report.faults()).containsOnlyKeys("kill", "change");
  }

  @Test
  void listsAndRangesSurviveAllFaults() throws Exception {
    ClusterSettings cluster =
        new ClusterSettings(
            1, 2, OptionalLong.empty(), false, "sync", folder, true, 1, SERVER_JVM, 1, 1, Map.of());
    FaultRunOptions options =
        new FaultRunOptions(
            List.of(HistoryCheck.APPEND, HistoryCheck.G2),
            EnumSet.complementOf(EnumSet.of(Fault.CHANGE)),
            6,
            1,
            2,
            8,
            100,
            40,
            60,
            6,
            PlantedError.NONE,
            Order.NONE);
    Path append = folder.resolve("append.edn");
    FaultRunReport report =
        new FaultRun(options, cluster, Map.of(HistoryCheck.APPEND, append), Map.of("seconds", 6))
            .execute(Progress.NONE);
    assertThat(report.valid()).as(report.text()).isTrue();
    assertThat(report.shown()).as(report.text()).isTrue();
    assertThat(report.faults()).containsOnlyKeys("kill", "pause", "partition", "disk", "client");

    List<Operation> history = OperationReader.read(append);
    assertThat(HistoryCheck.APPEND.check(history, Order.NONE).isSerializable()).isTrue();
    assertThat(history)
        .filteredOn(operation -> operation.process() == Operation.NEMESIS)
        .extracting(Operation::f)
        .contains(
            "kill", "start", "pause", "resume", "start-partition", "lose-disk", "kill-client");
    assertThat(report.histories())
        .extracting(judged -> judged.committed())
        .allMatch(committed -> committed >= options.minCommitted());
  }
}
