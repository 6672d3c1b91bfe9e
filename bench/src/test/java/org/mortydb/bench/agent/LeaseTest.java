package org.mortydb.bench.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.bench.agent.AgentMessages.LoadCommand;
import org.mortydb.bench.agent.AgentMessages.LoadRequest;
import org.mortydb.bench.agent.AgentMessages.LoadSpec;
import org.mortydb.bench.agent.AgentMessages.MeasureRequest;
import org.mortydb.bench.agent.AgentMessages.ServerRequest;
import org.mortydb.bench.agent.AgentMessages.Status;

final class LeaseTest {
  private static final String CONFIG =
      """
      cluster {
        name = bench
        regions = [a, b, c]
        servers = [
          { name = s1, region = a, listen = "127.0.0.1:7001" }
          { name = s2, region = b, listen = "127.0.0.1:7002" }
          { name = s3, region = c, listen = "127.0.0.1:7003" }
        ]
      }
      """;

  @TempDir Path temporary;
  private Path folder = Path.of("");
  private long nanos = 5;
  private Lease lease =
      new Lease("", "", Duration.ZERO, folder, 0, () -> nanos, InstantSource.system());

  @BeforeEach
  void create() throws IOException {
    folder = Files.createDirectory(temporary.resolve("lease"));
    lease =
        new Lease(
            "id",
            "controller",
            Duration.ofSeconds(3),
            folder,
            1_000_000,
            () -> nanos,
            InstantSource.system());
  }

  private static ServerRequest server(String name, String config) {
    return new ServerRequest(name, config, List.of(), Map.of());
  }

  @Test
  void aLeaseLastsAsLongAsItIsRenewed() {
    nanos += 3_000_000_000L;
    assertThat(lease.isExpired()).isFalse();
    nanos++;
    assertThat(lease.isExpired()).isTrue();
    lease.renew();
    assertThat(lease.isExpired()).isFalse();
    nanos += 3_000_000_001L;
    assertThat(lease.isExpired()).isTrue();
  }

  @Test
  void moreThanTheQuotaEndsTheRun() throws IOException {
    Files.write(folder.resolve("history"), new byte[900_000]);
    lease.checkDisk();
    assertThat(lease.status().failure()).isNull();
    Files.createDirectories(folder.resolve("data/log"));
    Files.write(folder.resolve("data/log/0"), new byte[100_001]);
    lease.checkDisk();
    Status status = lease.status();
    assertThat(status.failure()).contains(folder.toString()).contains("--disk");
    assertThatIllegalStateException()
        .isThrownBy(() -> lease.command(new LoadCommand(LoadCommand.Kind.CLOSE, null)))
        .withMessage(status.failure());
  }

  @Test
  void theEndDeletesTheFiles() throws IOException {
    Files.writeString(folder.resolve("history"), "x");
    lease.close();
    assertThat(folder).doesNotExist();
    assertThatIllegalStateException()
        .isThrownBy(() -> lease.startServer(server("s1", CONFIG)))
        .withMessageContaining("has ended");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/etc/morty-data", "relative", "%s/../outside"})
  void aServerStoresNothingElsewhere(String data) {
    String config =
        CONFIG + "server { durability = async, data = \"%s\" }".formatted(data.formatted(folder));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lease.startServer(server("s1", config)))
        .withMessageContaining("server.data")
        .withMessageContaining(folder.toString());
  }

  private static final String TLS =
      CONFIG
          + """
          server.durability = memory
          server.tls { enabled = true, certificate = "%1$s/a.crt", key = "%2$s/a.key", trust = "%1$s/ca.crt" }
          client.tls { certificate = "%1$s/a.crt", key = "%2$s/a.key", trust = "%1$s/ca.crt" }
          """;

  @Test
  void processesReadNoKeyElsewhere() {
    String elsewhere = TLS.formatted(folder, temporary);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lease.startServer(server("s1", elsewhere)))
        .withMessageContaining("server.tls.key")
        .withMessageContaining(folder.toString());
    LoadSpec load =
        new LoadSpec(
            elsewhere, "a", 1, "transfer", Map.of(), 1, 0, 1, 1, 1, 1, "continuations", false);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lease.startLoad(new LoadRequest(load, List.of(), Map.of())))
        .withMessageContaining("client.tls.key");
    assertThat(folder).isEmptyDirectory();
  }

  static List<Map<String, String>> wrongCredentials() {
    return List.of(
        Map.of("../a.key", ""),
        Map.of("/a.key", ""),
        Map.of("history", ""),
        Map.of("cluster.conf", ""),
        Map.of("a.key", "x".repeat(64 * 1024 + 1)),
        Map.of("a.key", "", "b.key", "", "c.key", "", "d.key", ""));
  }

  @ParameterizedTest
  @MethodSource("wrongCredentials")
  void onlyAFewShortTlsFilesAreWritten(Map<String, String> credentials) {
    ServerRequest request =
        new ServerRequest("s1", TLS.formatted(folder, folder), List.of(), credentials);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lease.startServer(request))
        .withMessageContaining("TLS file");
    assertThat(folder).isEmptyDirectory();
    assertThat(temporary).isDirectoryNotContaining(file -> !file.endsWith("lease"));
  }

  @Test
  void aTlsFileIsNotReplaced() throws IOException {
    CredentialFiles files = new CredentialFiles(folder);
    files.write(Map.of("ca.crt", "one", "a.key", "key"));
    files.write(Map.of("ca.crt", "one"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> files.write(Map.of("ca.crt", "two")))
        .withMessageContaining("ca.crt");
    assertThat(folder.resolve("ca.crt")).hasContent("one");
  }

  @Test
  void wrongRequestsStartNothing() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lease.startServer(server("s4", CONFIG)))
        .withMessageContaining("'s4'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lease.startServer(server("s1", "cluster {")))
        .withMessageContaining("configuration");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> lease.startServer(new ServerRequest("s1", CONFIG, List.of("Main"), Map.of())));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                lease.startServer(
                    new ServerRequest("s1", CONFIG, Collections.nCopies(101, "-ea"), Map.of())));
    assertThat(folder).isEmptyDirectory();
    assertThatIllegalStateException()
        .isThrownBy(() -> lease.command(new LoadCommand(LoadCommand.Kind.FILL, null)));
    assertThatIllegalStateException().isThrownBy(() -> lease.measure(new MeasureRequest(0, 1)));
    assertThatIllegalStateException().isThrownBy(() -> lease.answer(1));
  }
}
