package org.mortydb.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.agent.AgentServer;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.config.Address;
import org.mortydb.config.Identity;
import org.mortydb.config.TlsFiles;
import org.mortydb.testing.LoopbackPorts;
import org.mortydb.workloads.WorkloadChoice;

/** Clocks of agents in this process. */
@Timeout(120)
final class HostsTest {
  private static final int COUNT = AtOnce.MOST + 8;

  @TempDir Path folder;
  private final List<AgentServer> agents = new ArrayList<>();
  private final List<MetClock> clocks = new ArrayList<>();

  @AfterEach
  void end() {
    agents.forEach(AgentServer::close);
  }

  /** Lets the clocks be read only by several requests at once. */
  private static final class Meeting {
    private final int wanted;
    private int present;
    private int most;

    Meeting(int wanted) {
      this.wanted = wanted;
    }

    synchronized void enter() {
      present++;
      most = Math.max(most, present);
      notifyAll();
      long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
      try {
        while (most < wanted && System.nanoTime() < deadline) {
          wait(100);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      present--;
    }

    synchronized int most() {
      return most;
    }
  }

  /** A clock whose first reading is that of the request for what the agent is. */
  private static final class MetClock implements InstantSource {
    private final Meeting meeting;
    private volatile Duration ahead;
    private int readings;

    MetClock(Meeting meeting, Duration ahead) {
      this.meeting = meeting;
      this.ahead = ahead;
    }

    void set(Duration ahead) {
      this.ahead = ahead;
    }

    @Override
    public Instant instant() {
      if (++readings == 2) {
        meeting.enter();
      }
      return Instant.now().plus(ahead);
    }
  }

  private static String name(int agent) {
    return "agent-" + agent;
  }

  /** Starts agents, the clock of one of which may be ahead, and returns the file of all. */
  private Path start(int count, Meeting meeting, int odd, Duration ahead) throws Exception {
    Instant until = Instant.now().plus(Duration.ofDays(1));
    CertificateAuthority authority = CertificateAuthority.create("experiments", until);
    authority.write(folder);
    authority
        .issue(new Identity("experiments", Identity.Role.CLIENT, "controller"), until)
        .write(folder);
    StringBuilder text = new StringBuilder("certificates: .\nagents:\n");
    List<Integer> ports = LoopbackPorts.free(2 * count);
    for (int i = 0; i < count; i++) {
      authority
          .issue(new Identity("experiments", Identity.Role.SERVER, name(i)), until)
          .write(folder);
      Address address = new Address("127.0.0.1", ports.get(i));
      TlsFiles tls =
          new TlsFiles(
              folder.resolve("server-" + name(i) + ".crt"),
              folder.resolve("server-" + name(i) + ".key"),
              folder.resolve(CertificateAuthority.CERTIFICATE_FILE));
      Path files = Files.createDirectory(folder.resolve(name(i)));
      MetClock clock = new MetClock(meeting, i == odd ? ahead : Duration.ZERO);
      clocks.add(clock);
      agents.add(
          AgentServer.start(new AgentServer.Options(address, tls, "controller", files, 1), clock));
      text.append(
          "  - {name: %s, region: r%d, address: '%s', server: '127.0.0.1:%d'}\n"
              .formatted(name(i), i % 3, address, ports.get(count + i)));
    }
    return Files.writeString(folder.resolve("agents.yaml"), text);
  }

  private static Hosts hosts(Path file) throws IOException {
    ClusterSettings cluster =
        new ClusterSettings(
            1, 1, OptionalLong.empty(), false, "memory", null, true, 0, List.of(), 3, 1, Map.of());
    FleetExperiment experiment =
        new FleetExperiment(
            AgentsFile.read(file),
            WorkloadChoice.of("transfer", Map.of()),
            cluster,
            true,
            Map.of(),
            RetryDefaults.of(cluster));
    return new Hosts(experiment, Placement.of(experiment.agents(), cluster));
  }

  @Test
  void manyClocksAreComparedAtOnceButNoMoreThanTheBound() throws Exception {
    Meeting meeting = new Meeting(AtOnce.MOST);
    try (Hosts hosts = hosts(start(COUNT, meeting, -1, Duration.ZERO))) {
      hosts.compare();
      assertThat(hosts.connections()).hasSize(COUNT);
      assertThat(meeting.most()).isEqualTo(AtOnce.MOST);
      assertThat((List<?>) hosts.facts().settings().get("hosts")).hasSize(COUNT);
    }
  }

  @Test
  void theClockThatIsAheadIsNamed() throws Exception {
    try (Hosts hosts = hosts(start(6, new Meeting(6), 4, Duration.ofSeconds(5)))) {
      assertThatExceptionOfType(AgentFailedException.class)
          .isThrownBy(hosts::compare)
          .withMessageContaining("the clock of agent 'agent-4'");
    }
  }

  @Test
  void theClockThatWasSetSinceTheComparisonIsNamed() throws Exception {
    try (Hosts hosts = hosts(start(3, new Meeting(3), -1, Duration.ZERO))) {
      hosts.compare();
      hosts.requireSteady();
      clocks.get(1).set(Duration.ofMillis(-5_500));
      assertThatExceptionOfType(AgentFailedException.class)
          .isThrownBy(hosts::requireSteady)
          .withMessageContaining("the clock of agent 'agent-1'")
          .withMessageContaining("has moved back by 5,");
    }
  }

  @Test
  void theFirstAgentThatCannotBeReachedIsNamed() throws Exception {
    Path file = start(6, new Meeting(6), -1, Duration.ZERO);
    agents.get(2).close();
    agents.get(5).close();
    try (Hosts hosts = hosts(file)) {
      assertThatExceptionOfType(AgentFailedException.class)
          .isThrownBy(hosts::compare)
          .withMessageContaining("agent 'agent-2'")
          .withMessageContaining("does not answer");
    }
  }

  @Test
  void certificatesOfAnotherAuthorityAreNamedWithTheWayOut() throws Exception {
    Path file = start(3, new Meeting(3), -1, Duration.ZERO);
    Instant until = Instant.now().plus(Duration.ofDays(1));
    Path others = Files.createDirectory(folder.resolve("others"));
    CertificateAuthority other = CertificateAuthority.create("experiments", until);
    other.write(others);
    other
        .issue(new Identity("experiments", Identity.Role.CLIENT, "controller"), until)
        .write(others);
    String text = Files.readString(file).replace("certificates: .", "certificates: others");
    try (Hosts hosts = hosts(Files.writeString(file, text))) {
      assertThatExceptionOfType(AgentFailedException.class)
          .isThrownBy(hosts::compare)
          .withMessageContaining("agent 'agent-0'")
          .withMessageContaining("the TLS handshake failed")
          .withMessageContaining("of one CA: compare --certs of the agent with 'certificates'");
    }
  }

  @Test
  void answersAreInTheOrderOfTheAgents() throws Exception {
    List<Integer> all = IntStream.range(0, 3 * AtOnce.MOST).boxed().toList();
    assertThat(
            AtOnce.send(
                all,
                one -> {
                  Thread.sleep((one * 7) % 5);
                  return one;
                }))
        .isEqualTo(all);
  }
}
