package org.mortydb.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.agent.AgentMessages.LeaseGrant;
import org.mortydb.bench.agent.AgentMessages.LeaseRequest;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.report.Report;
import org.mortydb.workloads.WorkloadChoice;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunOptions;

/** Runs on three agents, which are processes with loopback addresses of their own. */
@Tag("slow")
@Timeout(180)
final class FleetTest {
  @TempDir static Path folder;
  private static Agents agents;

  @BeforeAll
  static void start() throws IOException {
    agents = new Agents(folder);
    for (String name : Agents.NAMES) {
      agents.start(name);
    }
    agents.awaitReady();
  }

  @AfterAll
  static void end() throws InterruptedException {
    agents.close();
  }

  /** Other tests find an ordinary agent again. */
  private static void restart(String name) throws Exception {
    agents.kill(name);
    agents.start(name);
    agents.awaitReady();
  }

  private FleetExperiment experiment(String... lines) throws IOException {
    ClusterSettings cluster =
        new ClusterSettings(
            1,
            1,
            OptionalLong.of(1_000),
            false,
            "memory",
            null,
            true,
            0,
            List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            3,
            1,
            Map.of());
    return new FleetExperiment(
        AgentsFile.read(agents.file(lines)),
        WorkloadChoice.of("smallbank", Map.of("accounts", "1000", "hotspot", "100")),
        cluster,
        true,
        Map.of(),
        RetryDefaults.of(cluster));
  }

  private static LoadSeries load(double seconds) {
    return LoadSeries.of(
        new RunOptions(12, OptionalDouble.empty(), Arrivals.POISSON, 1, seconds, 1));
  }

  private void requireNoFilesOfRuns() throws IOException {
    for (String name : Agents.NAMES) {
      try (Stream<Path> files = Files.list(agents.folder(name))) {
        assertThat(files.map(file -> file.getFileName().toString()))
            .allMatch(file -> file.equals("agent.lock"));
      }
    }
  }

  /** The last figures of each phase. */
  private static Progress into(List<String> shown) {
    return (phase, unit, total) ->
        new Progress.Phase() {
          @Override
          public void update(long done, String message) {
            shown.add(phase + " " + message);
          }

          @Override
          public void close() {}
        };
  }

  private void requireGood(Report report, List<String> shown, double seconds) throws IOException {
    assertThat(report.serializable()).isTrue();
    assertThat(report.check().transactions()).isGreaterThan(100);
    assertThat(report.consistent()).isTrue();
    long committed =
        report.transactions().values().stream().mapToLong(one -> one.committed()).sum();
    assertThat(report.committedPerSecond()).isCloseTo(committed / seconds, within(0.1));
    assertThat(report.timeline().committed().stream().mapToLong(Long::longValue).sum())
        .isPositive();
    // A commit needs another region, 1 ms away in each direction.
    assertThat(report.latencyMicros().p50()).isGreaterThan(2_000);
    assertThat((List<?>) report.settings().get("hosts")).hasSize(3);
    assertThat(report.cpuMicrosPerCommit()).isPositive();
    assertThat(report.environment().get("processors").toString()).startsWith("3 hosts of ");
    assertThat(report.environment()).as("unknown of hosts").doesNotContainKeys("commit", "dirty");
    for (String name : Agents.NAMES) {
      assertThat(shown).anyMatch(line -> line.startsWith("measure " + name + ": "));
      assertThat(agents.children(name)).isEmpty();
    }
    requireNoFilesOfRuns();
  }

  @Test
  void onlyTheControllerIsObeyed() throws Exception {
    try (AgentConnection connection = stranger()) {
      assertThatExceptionOfType(AgentFailedException.class)
          .isThrownBy(connection::about)
          .withMessageContaining("stranger")
          .withMessageContaining("obeys only");
    }
  }

  private AgentConnection stranger() throws IOException {
    AgentsFile file = AgentsFile.read(agents.file("controller: stranger"));
    return new AgentConnection(file, file.agents().getFirst());
  }

  @Test
  void aKilledAgentFailsTheRunAndTheNextOneIsMeasuredAsOne() throws Exception {
    FleetExperiment experiment = experiment();
    List<String> shown = new CopyOnWriteArrayList<>();
    CompletableFuture<List<Report>> run =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return experiment.executeAll(load(60), into(shown));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    while (shown.stream().noneMatch(line -> line.startsWith("measure"))) {
      assertThat(run).isNotDone();
      Thread.sleep(20);
    }
    List<ProcessHandle> orphans = agents.children("west");
    assertThat(orphans).hasSize(2);
    agents.kill("west");
    assertThat(run)
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableThat()
        .withCauseInstanceOf(AgentFailedException.class)
        .withMessageContaining("agent 'west' at 127.0.0.3:")
        .withMessageContaining("has ended during the run");
    for (ProcessHandle orphan : orphans) {
      assertThat(orphan.onExit()).succeedsWithin(Duration.ofSeconds(30));
    }
    for (String name : List.of("east", "south")) {
      assertThat(agents.children(name)).isEmpty();
    }
    restart("west");
    shown.clear();
    Report report = experiment.executeAll(load(3), into(shown)).getFirst();
    requireGood(report, shown, 3);
  }

  @Test
  void anAgentWhoseClockIsAheadIsRefused() throws Exception {
    agents.kill("west");
    agents.startAhead("west");
    agents.awaitReady();
    FleetExperiment experiment = experiment("mostSkewMillis: 100");
    assertThatExceptionOfType(AgentFailedException.class)
        .isThrownBy(() -> experiment.executeAll(load(1), Progress.NONE))
        .withMessageContaining("the clock of agent 'west' at 127.0.0.3:")
        .withMessageContaining(" ms ahead of those of the others")
        .withMessageContaining("mostSkewMillis allows 100");
    restart("west");
  }

  @Test
  void anAgentThatFillsItsDiskFailsTheRun() throws Exception {
    agents.kill("west");
    agents.start("west", "0.0001"); // 105 KiB
    agents.awaitReady();
    FleetExperiment experiment = experiment();
    assertThatExceptionOfType(AgentFailedException.class)
        .isThrownBy(() -> experiment.executeAll(load(100), Progress.NONE))
        .withMessageContaining("agent 'west' at 127.0.0.3:")
        .withMessageContaining("--disk allows");
    requireNoFilesOfRuns();
    restart("west");
  }

  @Test
  void aControllerThatIsGoneLosesItsLease() throws Exception {
    AgentsFile file = AgentsFile.read(agents.file());
    try (AgentConnection connection = new AgentConnection(file, file.agents().getFirst())) {
      LeaseGrant grant = connection.post("/lease", new LeaseRequest(2), LeaseGrant.class);
      assertThat(Path.of(grant.folder())).isDirectory();
      assertThatExceptionOfType(AgentFailedException.class)
          .isThrownBy(() -> connection.post("/lease", new LeaseRequest(2), LeaseGrant.class))
          .withMessageContaining("another run of controller");
      while (connection.about().holder() != null) {
        Thread.sleep(100);
      }
      assertThatExceptionOfType(AgentFailedException.class)
          .isThrownBy(() -> connection.get("/lease/" + grant.lease() + "/status", Object.class))
          .withMessageContaining("the lease has ended");
    }
    requireNoFilesOfRuns();
  }
}
