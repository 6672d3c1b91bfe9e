package org.mortydb.bench.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.Utilisation;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.retwis.Retwis;
import org.mortydb.workloads.smallbank.SmallBank;
import org.mortydb.workloads.smallbank.SmallBankOptions;
import org.mortydb.workloads.tpcc.Scale;
import org.mortydb.workloads.tpcc.Tpcc;
import org.mortydb.workloads.tpcc.Variant;
import org.mortydb.workloads.transfer.Transfer;
import org.mortydb.workloads.transfer.TransferOptions;

@Tag("slow")
final class SimulatedExperimentTest {
  private static ClusterSettings cluster(
      TransactionSystem system, int partitions, OptionalLong delayMicros) {
    return cluster(system, partitions, delayMicros, "memory");
  }

  private static ClusterSettings cluster(
      TransactionSystem system, int partitions, OptionalLong delayMicros, String durability) {
    return new ClusterSettings(
        1,
        partitions,
        delayMicros,
        false,
        durability,
        null,
        false,
        0,
        List.of(),
        delayMicros.isPresent() ? 3 : 1,
        1,
        Map.of(ClusterSettings.SYSTEM, system.name()));
  }

  private static RunOptions closed(int clients, double seconds, long seed) {
    return new RunOptions(clients, OptionalDouble.empty(), Arrivals.POISSON, 0.05, seconds, seed);
  }

  private static Report run(
      Workload workload, ClusterSettings cluster, SimulatedHosts hosts, RunOptions options)
      throws InterruptedException {
    return new SimulatedExperiment(
            workload,
            cluster,
            hosts,
            options,
            RetryDefaults.of(cluster),
            Calibrations.round(),
            true,
            Map.of())
        .execute(Progress.NONE);
  }

  private static Retwis retwis() {
    return new Retwis(3_000, 0.7);
  }

  static List<TransactionSystem> systems() {
    return TransactionSystems.all();
  }

  @ParameterizedTest
  @MethodSource("systems")
  void everySystemRunsAndIsChecked(TransactionSystem system) throws InterruptedException {
    Report report =
        run(
            new SmallBank(new SmallBankOptions(500, 20, 0.5), 1),
            cluster(system, 2, OptionalLong.of(2_000)),
            SimulatedHosts.apart(2),
            closed(24, 0.5, 1));
    assertThat(report.committedPerSecond()).isGreaterThan(100);
    assertThat(report.serializable()).isTrue();
    assertThat(report.consistent()).isTrue();
    assertThat(report.unfinished()).isZero();
    assertThat(report.commitLatencyMicros().p50())
        .as("one round trip at least")
        .isGreaterThanOrEqualTo(4_000);
  }

  @Test
  void theSameSeedYieldsTheSameReport() throws InterruptedException {
    Report first = sample(7);
    Report second = sample(7);
    assertThat(second.committedPerSecond()).isEqualTo(first.committedPerSecond());
    assertThat(second.transactions()).isEqualTo(first.transactions());
    assertThat(second.latencyMicros()).isEqualTo(first.latencyMicros());
    assertThat(second.commitLatencyMicros()).isEqualTo(first.commitLatencyMicros());
    assertThat(second.aborts()).isEqualTo(first.aborts());
    assertThat(second.utilisation()).isEqualTo(first.utilisation());
    assertThat(second.cpuMicrosPerCommit()).isEqualTo(first.cpuMicrosPerCommit());
    assertThat(sample(8).latencyMicros()).isNotEqualTo(first.latencyMicros());
  }

  private static Report sample(long seed) throws InterruptedException {
    return run(
        retwis(),
        cluster(Morty.SYSTEM, 3, OptionalLong.of(1_000)),
        SimulatedHosts.apart(2),
        closed(24, 0.1, seed));
  }

  @Test
  void aClosedLoopObeysLittlesLaw() throws InterruptedException {
    int clients = 16;
    Report report =
        run(
            retwis(),
            cluster(Morty.SYSTEM, 1, OptionalLong.empty()),
            SimulatedHosts.shared(2),
            closed(clients, 0.4, 1));
    double inside = report.committedPerSecond() * report.latencyMicros().mean() / 1e6;
    assertThat(inside).isCloseTo(clients, within(0.05 * clients));
  }

  @Test
  void aSharedMachineIsTheBottleneck() throws InterruptedException {
    Report report =
        run(
            retwis(),
            cluster(Morty.SYSTEM, 1, OptionalLong.empty()),
            SimulatedHosts.shared(1),
            closed(16, 0.3, 1));
    Utilisation utilisation = Objects.requireNonNull(report.utilisation());
    double used = utilisation.servers() + utilisation.clients();
    // A turn that runs over the end of the window counts in whole.
    assertThat(used).as("but for waits between attempts").isBetween(0.95, 1.01);
    assertThat(
            report.committedPerSecond() * Objects.requireNonNull(report.cpuMicrosPerCommit()) / 1e6)
        .isCloseTo(used, within(0.002));
  }

  @Test
  void moreCoresServeMore() throws InterruptedException {
    double one = throughput(1);
    double four = throughput(4);
    assertThat(four).isGreaterThan(2.5 * one);
  }

  private static double throughput(int cores) throws InterruptedException {
    return run(
            new Retwis(6_000, 0),
            cluster(Morty.SYSTEM, 4, OptionalLong.empty()),
            new SimulatedHosts(false, cores, 1, 8, 50),
            closed(240, 0.1, 1))
        .committedPerSecond();
  }

  @Test
  void anOpenLoopGetsTheRateThatItAsksFor() throws InterruptedException {
    Report report =
        run(
            retwis(),
            cluster(Morty.SYSTEM, 1, OptionalLong.empty()),
            SimulatedHosts.apart(2),
            new RunOptions(100, OptionalDouble.of(2_000), Arrivals.POISSON, 0.1, 1, 1));
    assertThat(report.committedPerSecond()).isCloseTo(2_000, within(150.0));
    assertThat(report.offered()).isNotNull();
  }

  @Test
  void pausesOfTheApplicationAreVirtual() throws InterruptedException {
    Report report =
        run(
            new Transfer(new TransferOptions(TransferOptions.Form.TWO_PHASE, 200, 0, 0.01)),
            cluster(Morty.SYSTEM, 1, OptionalLong.empty()),
            SimulatedHosts.shared(2),
            closed(8, 0.3, 1));
    assertThat(report.serializable()).isTrue();
    assertThat(report.consistent()).isTrue();
  }

  @Test
  void theConditionsOfTpccAreLookedAt() throws InterruptedException {
    Report report =
        run(
            new Tpcc(Scale.of(1, 0.01), Variant.USUAL, 1),
            cluster(Morty.SYSTEM, 2, OptionalLong.empty()),
            SimulatedHosts.apart(2),
            closed(8, 0.3, 1));
    assertThat(report.serializable()).isTrue();
    assertThat(report.consistent()).isTrue();
    assertThat(Objects.requireNonNull(report.consistency()).reads()).isPositive();
  }

  private static Report stored(String durability, int partitions, int clients)
      throws InterruptedException {
    return run(
        new Retwis(6_000, 0),
        cluster(Morty.SYSTEM, partitions, OptionalLong.empty(), durability),
        SimulatedHosts.apart(2),
        closed(clients, 0.4, 1));
  }

  /** The median time of a commit that writes. */
  private static long commitMicros(Report report) {
    return Objects.requireNonNull(report.transactions().get("post tweet"))
        .commitLatencyMicros()
        .p50();
  }

  /** A commit waits for one force: of {@link Calibrations}, 115 µs with its write. */
  @Test
  void whatServersStoreTakesItsTime() throws InterruptedException {
    Report memory = stored("memory", 1, 1);
    Report async = stored("async", 1, 1);
    Report sync = stored("sync", 1, 1);
    assertThat(sync.serializable()).isTrue();
    long without = commitMicros(memory);
    assertThat(commitMicros(async)).isBetween(without + 5, without + 60);
    assertThat(commitMicros(sync)).isBetween(without + 105, without + 200);
    double cpu = Objects.requireNonNull(memory.cpuMicrosPerCommit());
    assertThat(Objects.requireNonNull(async.cpuMicrosPerCommit())).isGreaterThan(cpu + 10);
    assertThat(Objects.requireNonNull(sync.cpuMicrosPerCommit()))
        .as("a force costs more than a write")
        .isGreaterThan(async.cpuMicrosPerCommit() + 10);
  }

  /** One log of a server could force 8,700 times in a second if each record were forced alone. */
  @Test
  void transactionsShareForces() throws InterruptedException {
    Report sync = stored("sync", 2, 200);
    assertThat(sync.serializable()).isTrue();
    assertThat(sync.committedPerSecond())
        .isGreaterThan(0.5 * stored("memory", 2, 200).committedPerSecond());
    assertThat(sync.committedPerSecond()).isGreaterThan(10_000);
  }

  @Test
  void aLogWithoutCostsIsRefused() {
    Calibration round = Calibrations.round();
    Calibration poor =
        new Calibration(
            "", "", Map.of(), round.transport(), null, Map.of(), round.costs(), List.of());
    ClusterSettings settings = cluster(Morty.SYSTEM, 1, OptionalLong.empty(), "sync");
    SimulatedExperiment experiment =
        new SimulatedExperiment(
            retwis(),
            settings,
            SimulatedHosts.shared(2),
            closed(1, 0.1, 1),
            RetryDefaults.of(settings),
            poor,
            false,
            Map.of());
    assertThatThrownBy(() -> experiment.execute(Progress.NONE))
        .isInstanceOf(InvalidCalibrationException.class)
        .hasMessageContainingAll("log", "durability 'sync'", "morty calibrate");
  }

  @Test
  void whatWasNotCalibratedIsRefused() {
    Calibration poor =
        new Calibration("", "", Map.of(), TransportCosts.NONE, null, Map.of(), Map.of(), List.of());
    SimulatedExperiment experiment =
        new SimulatedExperiment(
            retwis(),
            cluster(TransactionSystems.named("tapir"), 1, OptionalLong.empty()),
            SimulatedHosts.shared(2),
            closed(1, 0.1, 1),
            RetryDefaults.of(RetryDefaults.retries(TransactionSystems.named("tapir"), 0)),
            poor,
            false,
            Map.of());
    assertThatThrownBy(() -> experiment.execute(Progress.NONE))
        .isInstanceOf(InvalidCalibrationException.class)
        .hasMessageContainingAll("tapir", "retwis", "morty calibrate");
  }
}
