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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.bench.agent.AgentMessages.LoadCommand;
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
        .isThrownBy(() -> lease.startServer(new ServerRequest("s1", CONFIG, List.of())))
        .withMessageContaining("has ended");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/etc/morty-data", "relative", "%s/../outside"})
  void aServerStoresNothingElsewhere(String data) {
    String config =
        CONFIG + "server { durability = async, data = \"%s\" }".formatted(data.formatted(folder));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lease.startServer(new ServerRequest("s1", config, List.of())))
        .withMessageContaining("server.data")
        .withMessageContaining(folder.toString());
  }

  @Test
  void wrongRequestsStartNothing() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lease.startServer(new ServerRequest("s4", CONFIG, List.of())))
        .withMessageContaining("'s4'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lease.startServer(new ServerRequest("s1", "cluster {", List.of())))
        .withMessageContaining("configuration");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lease.startServer(new ServerRequest("s1", CONFIG, List.of("Main"))));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                lease.startServer(
                    new ServerRequest("s1", CONFIG, Collections.nCopies(101, "-ea"))));
    assertThat(folder).isEmptyDirectory();
    assertThatIllegalStateException()
        .isThrownBy(() -> lease.command(new LoadCommand(LoadCommand.Kind.FILL, null)));
    assertThatIllegalStateException().isThrownBy(() -> lease.measure(new MeasureRequest(0, 1)));
    assertThatIllegalStateException().isThrownBy(() -> lease.answer(1));
  }
}
