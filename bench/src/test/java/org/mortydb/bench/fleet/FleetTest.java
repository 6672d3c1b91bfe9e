package org.mortydb.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.agent.AgentMessages.LeaseGrant;
import org.mortydb.bench.agent.AgentMessages.LeaseRequest;
import org.mortydb.bench.cluster.ClusterFile;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.measure.Pauses;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.Report.HeapUse;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.config.Address;
import org.mortydb.config.Identity;
import org.mortydb.workloads.WorkloadChoice;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.Offered;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.Rate;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.Saturation;

/** Runs on three agents with loopback addresses of their own. */
@Tag("slow")
@Timeout(600)
final class FleetTest {
  @TempDir static Path folder;
  private static Agents agents;

  @BeforeAll
  static void start() throws Exception {
    agents = new Agents(folder);
    agents.start();
  }

  @AfterAll
  static void end() throws InterruptedException {
    agents.close();
  }

  private static FleetExperiment experiment(int clientRegions, Path file) {
    ClusterSettings cluster =
        new ClusterSettings(
            1,
            1,
            OptionalLong.of(1_000),
            AgentsFile.read(file).encrypt(),
            "memory",
            null,
            true,
            0,
            List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            clientRegions,
            1,
            Map.of());
    return new FleetExperiment(
        AgentsFile.read(file),
        WorkloadChoice.of("smallbank", Map.of("accounts", "1000", "hotspot", "100")),
        cluster,
        true,
        Map.of(),
        RetryDefaults.of(cluster));
  }

  private static RunOptions load(double seconds) {
    return new RunOptions(12, OptionalDouble.empty(), Arrivals.POISSON, 0.5, seconds, 1);
  }

  /** Nothing is left of runs. */
  private void requireNothingOfRuns() throws IOException {
    assertThat(agents.childrenApart()).isEmpty();
    assertThat(agents.childrenHere()).isEmpty();
    for (String name : Agents.ALL) {
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
    requireHeapsAndPauses(report);
    assertThat(report.environment())
        .as("all agents are on one machine")
        .containsEntry("processors", Runtime.getRuntime().availableProcessors());
    assertThat(report.environment()).as("unknown of hosts").doesNotContainKeys("commit", "dirty");
    for (String name : List.of("east", "west")) {
      assertThat(shown).anyMatch(line -> line.matches("(warm-up|measure) " + name + ": .*"));
    }
    requireNothingOfRuns();
  }

  private static void requireHeapsAndPauses(Report report) {
    long mib = 1024 * 1024;
    HeapUse heaps = report.heapAfterGcBytes();
    assertThat(List.of(heaps.clientBegin(), heaps.clientEnd())).allMatch(one -> one > 3 * mib);
    assertThat(List.of(heaps.serversBegin(), heaps.serversEnd()))
        .allMatch(one -> one > 3 * mib && one < 3 * 192 * mib);
    Pauses pauses = report.pauses();
    assertThat(pauses.processes().stream().map(Pauses.OfProcess::process))
        .containsExactly("server-1", "server-2", "server-3", "client east", "client west");
    assertThat(pauses.longestOfServersMicros())
        .isEqualTo(
            pauses.processes().subList(0, 3).stream()
                .mapToLong(Pauses.OfProcess::longestMicros)
                .max()
                .getAsLong());
  }

  /** Half of the rate that all hosts together saturate at is offered. */
  private static void requireHalfOfTheSaturatedRate(Report report) {
    Saturation saturation = report.saturation();
    assertThat(saturation.steps()).hasSizeGreaterThanOrEqualTo(3);
    assertThat(saturation.steps().getLast())
        .as("the loop at the best number of clients, once more")
        .isEqualTo(new Saturation.Step(saturation.clients(), saturation.committedPerSecond()));
    Offered offered = report.offered();
    assertThat(offered.perSecond())
        .isCloseTo(saturation.committedPerSecond() / 2, withinPercentage(1));
    assertThat(offered.arrivals()).isPositive();
    assertThat(report.settings()).containsEntry("rate", "max*0.5");
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
  void aKilledAgentFailsTheRun() throws Exception {
    List<String> shown = new CopyOnWriteArrayList<>();
    List<String> names = List.of(Agents.APART, "east", "south");
    FleetExperiment experiment = experiment(1, agents.file(names));
    CompletableFuture<List<Report>> run =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return experiment.executeAll(LoadSeries.of(load(60)), into(shown));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    while (shown.stream().noneMatch(line -> line.startsWith("measure"))) {
      assertThat(run).isNotDone();
      Thread.sleep(20);
    }
    for (int i = 0; i < 3; i++) {
      Address address = agents.server(names.get(i));
      assertThat(tlsIdentity(address)).isEqualTo(ClusterFile.server(i));
    }
    List<ProcessHandle> orphans = agents.childrenApart();
    assertThat(orphans).hasSize(2);
    assertThat(agents.childrenHere()).hasSize(2);
    agents.kill();
    assertThat(run)
        .failsWithin(Duration.ofSeconds(120))
        .withThrowableThat()
        .withCauseInstanceOf(AgentFailedException.class)
        .withMessageContaining("agent 'west' at 127.0.0.3:")
        .withMessageContaining("has ended during the run");
    for (ProcessHandle orphan : orphans) {
      assertThat(orphan.onExit()).succeedsWithin(Duration.ofSeconds(30));
    }
    assertThat(agents.childrenHere()).isEmpty();
    agents.startApart();
    requireNothingOfRuns();
  }

  @Test
  @Tag("long")
  void aShareOfTheRateThatAllHostsSaturateAtIsOfferedAndMeasuredAsOne() throws Exception {
    LoadSeries half = LoadSeries.of(load(0.5), List.of(Rate.parse("max*0.5")));
    List<String> shown = new CopyOnWriteArrayList<>();
    FleetExperiment experiment = experiment(2, agents.file("runCertificates: " + certificates()));
    Report report = experiment.executeAll(half, into(shown)).getFirst();
    requireGood(report, shown, 0.5);
    requireHalfOfTheSaturatedRate(report);
  }

  /** The folder of certificates for runs. */
  private static Path certificates() throws IOException {
    Path made = Files.createDirectory(folder.resolve("of-runs"));
    Instant until = Instant.now().plus(Duration.ofDays(1));
    CertificateAuthority authority = CertificateAuthority.create(ClusterFile.CLUSTER, until);
    authority.write(made);
    for (int i = 0; i < 3; i++) {
      authority.issue(ClusterFile.server(i), until).write(made);
    }
    authority.issue(ClusterFile.client(), until).write(made);
    return made;
  }

  /** The identity that a server shows to anybody who connects. */
  private static Identity tlsIdentity(Address address) throws Exception {
    X509Certificate[] seen = new X509Certificate[1];
    X509TrustManager anybody =
        new X509TrustManager() {
          @Override
          public void checkClientTrusted(X509Certificate[] chain, String type) {}

          @Override
          public void checkServerTrusted(X509Certificate[] chain, String type) {
            seen[0] = chain[0];
          }

          @Override
          public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
          }
        };
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {anybody}, null);
    try (SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(address.host(), address.port())) {
      socket.setSoTimeout(10_000);
      socket.startHandshake();
    }
    return Identity.of(seen[0]);
  }

  @Test
  void anAgentThatFillsItsDiskFailsTheRun() throws Exception {
    List<String> names = List.of(Agents.SMALL, "east", "south");
    FleetExperiment experiment = experiment(1, agents.file(names, "encrypt: false"));
    assertThatExceptionOfType(AgentFailedException.class)
        .isThrownBy(() -> experiment.executeAll(LoadSeries.of(load(100)), Progress.NONE))
        .withMessageContaining("agent 'small' at 127.0.0.5:")
        .withMessageContaining("--disk allows");
    requireNothingOfRuns();
  }

  @Test
  void aClockThatIsSetDuringALoadFailsTheRun() throws Exception {
    FleetExperiment experiment = experiment(1, agents.file("encrypt: false"));
    Progress setting =
        (phase, unit, total) -> {
          if (phase.equals("measure")) {
            agents.setClocks(Duration.ofMillis(-2_500));
          }
          return Progress.NONE.begin(phase, unit, total);
        };
    try {
      assertThatExceptionOfType(AgentFailedException.class)
          .isThrownBy(() -> experiment.executeAll(LoadSeries.of(load(3)), setting))
          .withMessageContaining("the clock of agent '")
          .withMessageContaining("has moved back by 2,");
    } finally {
      agents.setClocks(Duration.ZERO);
    }
    requireNothingOfRuns();
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
    requireNothingOfRuns();
  }
}
