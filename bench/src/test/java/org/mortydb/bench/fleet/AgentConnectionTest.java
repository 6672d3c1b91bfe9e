package org.mortydb.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.agent.AgentMessages.LeaseGrant;
import org.mortydb.bench.agent.AgentMessages.LeaseRequest;
import org.mortydb.bench.agent.AgentServer;
import org.mortydb.bench.cluster.ClusterFile;
import org.mortydb.bench.fleet.AgentsFile.Agent;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.config.Address;
import org.mortydb.config.Identity;
import org.mortydb.config.TlsFiles;
import org.mortydb.testing.LoopbackPorts;
import org.mortydb.transport.tls.JavaTls;

/** One agent whose host is in trouble. */
@Timeout(60)
final class AgentConnectionTest {
  private static final Duration TIMEOUT = Duration.ofMillis(500);
  private static final int ANNOUNCED = 1_000;

  @TempDir Path folder;
  private Agent agent = new Agent("", "", new Address("localhost", 1), null, true, null);

  @BeforeEach
  void issue() throws IOException {
    Instant until = Instant.now().plus(Duration.ofDays(1));
    CertificateAuthority authority = CertificateAuthority.create("experiments", until);
    authority.write(folder);
    for (Identity.Role role : List.of(Identity.Role.CLIENT, Identity.Role.SERVER)) {
      String name = role == Identity.Role.CLIENT ? "controller" : "east";
      authority.issue(new Identity("experiments", role, name), until).write(folder);
    }
    Address address = new Address("127.0.0.1", LoopbackPorts.free(1).getFirst());
    agent = new Agent("east", "east", address, null, true, null);
  }

  private TlsFiles tls() {
    return new TlsFiles(
        folder.resolve("server-east.crt"),
        folder.resolve("server-east.key"),
        folder.resolve(CertificateAuthority.CERTIFICATE_FILE));
  }

  private AgentConnection connection(Duration timeout) {
    return new AgentConnection(AgentsFile.ofThisMachine(folder, List.of(agent)), agent, timeout);
  }

  /** In the place of an agent: announces a body, sends the begin of it, and nothing after that. */
  private final class SilentServer implements AutoCloseable {
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch end = new CountDownLatch(1);
    private final HttpsServer server;

    SilentServer(int status, String begin) throws Exception {
      server =
          HttpsServer.create(
              new InetSocketAddress(agent.address().host(), agent.address().port()), 0);
      server.setHttpsConfigurator(
          new HttpsConfigurator(JavaTls.load(tls(), peer -> null).context()));
      server.setExecutor(threads);
      server.createContext("/", exchange -> answer(exchange, status, begin));
      server.start();
    }

    private void answer(HttpExchange exchange, int status, String begin) throws IOException {
      exchange.sendResponseHeaders(status, ANNOUNCED);
      exchange.getResponseBody().write(begin.getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
      try {
        end.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      end.countDown();
      threads.shutdownNow();
      server.stop(0);
    }
  }

  @Test
  void aLongAnswerThatFallsSilentEnds() throws Exception {
    try (var _ = new SilentServer(200, "begin");
        AgentConnection connection = connection(TIMEOUT);
        InputStream history = connection.stream("/history")) {
      assertThat(history.readNBytes(5)).asString().isEqualTo("begin");
      assertThatIOException()
          .isThrownBy(history::read)
          .withMessageContaining("no byte came for 0.5 s");
    }
  }

  @Test
  void aReaderThatTakesItsTimeIsNoSilence() throws Exception {
    try (var _ = new SilentServer(200, "begin");
        AgentConnection connection = connection(TIMEOUT);
        InputStream history = connection.stream("/history")) {
      assertThat(history.read()).isEqualTo('b');
      Thread.sleep(TIMEOUT.multipliedBy(3));
      assertThat(history.readNBytes(4)).asString().isEqualTo("egin");
    }
  }

  @Test
  void aLongAnswerWhoseRefusalFallsSilentEnds() throws Exception {
    try (var _ = new SilentServer(409, "{");
        AgentConnection connection = connection(TIMEOUT)) {
      assertThatExceptionOfType(AgentFailedException.class)
          .isThrownBy(() -> connection.stream("/history"))
          .withMessageContaining("agent 'east'")
          .withMessageContaining("no byte came");
    }
  }

  @Test
  void aShortAnswerThatFallsSilentEnds() throws Exception {
    try (var _ = new SilentServer(200, "{");
        AgentConnection connection = connection(TIMEOUT)) {
      assertThatExceptionOfType(AgentFailedException.class)
          .isThrownBy(connection::about)
          .withMessageContaining("agent 'east'")
          .withMessageContaining("it does not answer: request timed out");
    }
  }

  @Test
  void anAgentThatCannotUseItsFolderSaysSo() throws Exception {
    Path files = Files.createDirectory(folder.resolve("files"));
    AgentServer.Options options =
        new AgentServer.Options(agent.address(), tls(), "controller", files, 1);
    try (var _ = AgentServer.start(options, InstantSource.system());
        AgentConnection connection = connection(Duration.ofSeconds(20))) {
      ClusterFile.delete(files);
      assertThatExceptionOfType(AgentFailedException.class)
          .isThrownBy(() -> connection.post("/lease", new LeaseRequest(2), LeaseGrant.class))
          .withMessageContaining("agent 'east'")
          .withMessageContaining("NoSuchFile")
          .withMessageContaining(files.toString())
          .withMessageNotContaining("does not answer");
    }
  }
}
