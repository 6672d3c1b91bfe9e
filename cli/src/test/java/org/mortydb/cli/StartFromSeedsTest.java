package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mortydb.cli.CommandLines.morty;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.client.Codecs;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.protocol.model.Key;
import org.mortydb.server.MortyServer;
import org.mortydb.testing.LoopbackPorts;
import org.mortydb.transport.ClusterFiles;

/** Clients, commands and a joining server that know only a few addresses, on several of them. */
@Tag("slow")
@Timeout(120)
final class StartFromSeedsTest {
  private static final TypedKey<String> KEY = TypedKey.of(Key.of("k"), Codecs.STRING);

  @TempDir private Path folder;

  /** Servers that listen on all addresses, and are reached at one each. */
  private static String whole(List<Integer> ports) {
    StringBuilder text =
        new StringBuilder("cluster { name = tea, regions = [r0, r1, r2], servers = [");
    for (int i = 0; i < 3; i++) {
      text.append(
          "\n{ name = s%d, region = r%d, listen = \"0.0.0.0:%d\", advertise = \"127.0.0.%d:%d\" }"
              .formatted(i, i, ports.get(i), i + 2, ports.get(i)));
    }
    return text.append("] }\nserver { durability = memory, links.max-backoff = 100ms }\n")
        .toString();
  }

  private Path seeds(String addresses, String more) throws IOException {
    return Files.writeString(
        folder.resolve("seeds.conf"),
        "cluster { name = tea, seeds = [" + addresses + "] }\nserver.durability = memory\n" + more);
  }

  private static String address(List<Integer> ports, int server) {
    return "\"127.0.0." + (server + 2) + ":" + ports.get(server) + "\"";
  }

  @Test
  void clientsAndAJoiningServerLearnTheClusterFromSomeServers() throws Exception {
    List<Integer> ports = LoopbackPorts.free(4);
    ClusterConfig config = ClusterConfig.parse(whole(ports));
    Path both = seeds("\"127.0.0.9:" + ports.get(3) + "\", " + address(ports, 0), "");
    try (MortyServer s0 = MortyServer.start(config, "s0");
        MortyServer s1 = MortyServer.start(config, "s1");
        // The others of a new cluster wait for this one, which has no whole file.
        MortyServer s2 = MortyServer.start(ClusterFiles.forServer(both, "s2"), "s2")) {
      for (MortyServer server : List.of(s0, s1, s2)) {
        server.serving().get(30, TimeUnit.SECONDS);
      }
      assertThat(s2.spec()).isEqualTo(config.server("s2"));
      try (MortyClient client = MortyClient.connect(both, "r1")) {
        assertThat(
                client.run(
                    txn -> {
                      txn.put(KEY, "tea");
                      return "";
                    }))
            .isInstanceOf(Result.Committed.class);
      }
      Ran got = morty("shell", "--config", both.toString(), "-e", "get k");
      assertThat(got.code()).as(got.err()).isEqualTo(ExitCode.OK);
      assertThat(got.out()).contains("tea");
      assertThat(morty("status", "--config", both.toString()).code())
          .isIn(ExitCode.OK, ExitCode.WARNING);

      // What the file says itself is compared.
      Path wrong = seeds(address(ports, 1), "cluster.partitions = 2\n");
      assertThatThrownBy(() -> ClusterFiles.forClient(wrong, null))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("what server 's1' at 127.0.0.3:" + ports.get(1))
          .hasMessageContaining("cluster.partitions is 2 here and 1 there");
      Ran refused = morty("status", "--config", wrong.toString());
      assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
      assertThat(refused.err()).contains("cluster.partitions is 2 here and 1 there");

      // A server that the cluster does not have.
      Path right = seeds(address(ports, 1), "");
      CompletableFuture<String> stranger =
          CompletableFuture.supplyAsync(() -> problemOf(right, "s9"));
      CompletableFuture<String> itself =
          CompletableFuture.supplyAsync(() -> problemOf(right, "s1"));
      assertThat(stranger.get(90, TimeUnit.SECONDS))
          .contains("server 's9'", "is not in the configuration of server 's1'");
      assertThat(itself.get(90, TimeUnit.SECONDS)).contains("is the name of this server");
    }
  }

  private static String problemOf(Path file, String server) {
    try {
      return "learnt " + ClusterFiles.forServer(file, server).name();
    } catch (IOException | InvalidConfigException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void aServerStartsOnceASeedIsThere() throws Exception {
    List<Integer> ports = LoopbackPorts.free(3);
    Path file = seeds(address(ports, 0), "");
    CompletableFuture<String> learnt = CompletableFuture.supplyAsync(() -> problemOf(file, "s1"));
    Thread.sleep(300);
    assertThat(learnt).isNotDone();
    try (MortyServer s0 = MortyServer.start(ClusterConfig.parse(whole(ports)), "s0")) {
      assertThat(learnt.get(30, TimeUnit.SECONDS)).isEqualTo("learnt tea");
      assertThat(s0.counters().stoppedPartitions()).isZero();
    }
  }

  @Test
  void seedsThatTellNothingAreNamedWithTheReasons() throws Exception {
    List<Integer> ports = LoopbackPorts.free(4);
    String other = whole(ports).replace("name = tea", "name = coffee");
    try (MortyServer stranger = MortyServer.start(ClusterConfig.parse(other), "s0");
        ServerSocket silent = new ServerSocket(ports.get(3))) {
      Path file =
          seeds(
              address(ports, 0) + ", " + address(ports, 1) + ", \"localhost:" + ports.get(3) + "\"",
              "");
      assertThatThrownBy(() -> ClusterFiles.forClient(file, null))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no server in cluster.seeds of " + file)
          .hasMessageContaining("127.0.0.2:" + ports.get(0) + ": refused by the peer: ")
          .hasMessageContaining("to cluster 'tea'")
          .hasMessageContaining("127.0.0.3:" + ports.get(1) + ": cannot connect to")
          .hasMessageContaining("localhost:" + silent.getLocalPort())
          .hasMessageContaining("name servers that run");
      assertThat(stranger.counters().stoppedPartitions()).isZero();
    }
  }
}
