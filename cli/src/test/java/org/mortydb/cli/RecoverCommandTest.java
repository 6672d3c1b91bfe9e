package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.cli.CommandLines.morty;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.server.MortyServer;
import org.mortydb.storage.Identity;
import org.mortydb.storage.Storage;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.LoopbackPorts;
import org.mortydb.testing.OperatedCluster;
import org.mortydb.transport.ClusterFiles;

/** {@code morty recover}. */
@Tag("slow")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class RecoverCommandTest {
  private static final KeySpace<Long, Long> ACCOUNTS =
      KeySpace.of("account", Codecs.INT64, Codecs.INT64);
  private static final List<String> SERVERS = List.of("us-1", "eu-1", "ap-1");
  private static final long EARLY = 20;

  @TempDir Path folder;

  private String text;
  private Path file;
  private Path data;
  private Path reports;

  @BeforeEach
  void configure() throws Exception {
    data = folder.resolve("data");
    reports = folder.resolve("reports");
    text =
        OperatedCluster.configuration(
            false,
            "cluster.partitions = 3",
            "server.durability = async",
            "server.data = \"" + data + "\"",
            "server.replica.retention = 2s");
    file = Files.writeString(folder.resolve("cluster.conf"), text);
  }

  private Ran recover(String... more) {
    List<String> line =
        new ArrayList<>(
            List.of("recover", "--config", file.toString(), "--reports", reports.toString()));
    line.addAll(List.of(more));
    return morty(line.toArray(String[]::new));
  }

  private MortyClient client() throws Exception {
    return MortyClient.connect(ClusterConfig.load(file), ClientOptions.inRegion("us"));
  }

  private static void put(MortyClient client, long from, long to) {
    Result<Boolean> done =
        client.run(
            txn -> {
              for (long i = from; i < to; i++) {
                txn.put(ACCOUNTS.key(i), i);
              }
              return true;
            });
    assertThat(done.isCommitted()).isTrue();
  }

  private static List<Long> accounts(MortyClient client) {
    Result<List<Long>> result =
        client.run(txn -> txn.scan(ACCOUNTS.all(), 100).stream().map(e -> e.value()).toList());
    return ((Result.Committed<List<Long>>) result).value();
  }

  /** Commits some rows, and others shortly before the end. */
  private void run() throws Exception {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(text);
        MortyClient client = client()) {
      assertThat(cluster).isNotNull();
      put(client, 0, EARLY);
      Thread.sleep(6_000); // the watermarks pass
      put(client, EARLY, EARLY + 5);
    }
  }

  private void doubt(List<String> servers) throws Exception {
    for (String server : servers) {
      Storage.doubt(data.resolve(server), new Identity("shop", server));
    }
  }

  private void erase(String server) throws Exception {
    for (String name : List.of("state", "lock", "forced")) {
      Files.delete(data.resolve(server).resolve(name));
    }
    try (var files = Files.list(data.resolve(server))) {
      for (Path one : files.toList()) {
        Files.delete(one);
      }
    }
  }

  @Test
  void aClusterInDoubtGoesBackToOneStateOfAllPartitions() throws Exception {
    run();
    doubt(SERVERS);
    ClusterConfig config = ClusterConfig.load(file);
    List<MortyServer> waiting = new ArrayList<>();
    for (String server : SERVERS) {
      waiting.add(MortyServer.start(config, server));
    }
    Thread.sleep(2_000);
    assertThat(waiting).noneMatch(server -> server.serving().isDone());
    assertThat(recover().code()).as("a server runs").isEqualTo(ExitCode.FAILED);
    waiting.forEach(MortyServer::close);

    // As on three machines.
    Ran first = recover("--server", "us-1");
    assertThat(first.code()).as(first.err()).isEqualTo(ExitCode.OK);
    assertThat(first.out()).contains("eu-1", "ap-1");
    Ran early = recover("--server", "us-1", "--accept-loss");
    assertThat(early.code()).isEqualTo(ExitCode.FAILED);
    assertThat(early.err()).contains("eu-1", "ap-1");
    assertThat(recover("--server", "eu-1").code()).isEqualTo(ExitCode.OK);
    Ran last = recover("--server", "ap-1");
    assertThat(last.code()).as(last.err()).isEqualTo(ExitCode.OK);
    assertThat(last.out()).contains("--accept-loss");
    for (String server : SERVERS) {
      Ran accepted = recover("--server", server, "--accept-loss");
      assertThat(accepted.code()).as(accepted.err()).isEqualTo(ExitCode.OK);
    }
    assertThat(Files.readString(reports.resolve("us-1.lost.txt"))).contains("0x");
    // A second time there is nothing to do.
    assertThat(recover("--accept-loss").code()).isEqualTo(ExitCode.OK);

    try (EmbeddedCluster cluster = EmbeddedCluster.start(text);
        MortyClient client = client()) {
      assertThat(cluster).isNotNull();
      List<Long> rows = accounts(client);
      assertThat(rows).hasSize((int) EARLY);
      put(client, 50, 60);
      assertThat(accounts(client)).hasSize((int) EARLY + 10);
      Thread.sleep(6_000); // the watermarks pass
    }
    // The servers have run since.
    assertThat(recover("--accept-loss").code()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void aServerThatLostItsDirectoryJoinsTheOthersThatGoBack() throws Exception {
    run();
    doubt(SERVERS.subList(0, 2));
    erase("ap-1");
    assertThat(recover("--server", "ap-1").code()).isEqualTo(ExitCode.OK);
    Ran accepted = recover("--accept-loss");
    assertThat(accepted.code()).as(accepted.err()).isEqualTo(ExitCode.OK);
    try (EmbeddedCluster cluster = EmbeddedCluster.start(text);
        MortyClient client = client()) {
      assertThat(cluster).isNotNull();
      assertThat(accounts(client)).hasSize((int) EARLY);
    }
  }

  /** A report is copied by hand, and a command can die while it writes one. */
  @Test
  void aReportThatIsNoneIsNamed() throws Exception {
    EmbeddedCluster.start(text).close();
    Ran all = recover();
    assertThat(all.code()).isEqualTo(ExitCode.FAILED);
    assertThat(all.err()).contains("rejoin by themselves");
    Path report = reports.resolve("eu-1.json");
    String good = Files.readString(report);
    List<String> wrong =
        List.of(
            "",
            "{",
            "null",
            "{}",
            "[]",
            good.replaceFirst("\"timeMicros\"\\s*:\\s*\\d+", "\"timeMicros\" : -1"),
            good.replaceFirst("\"latestMicros\"\\s*:\\s*\\d+", "\"latestMicros\" : -1"));
    for (String one : wrong) {
      Files.writeString(report, one);
      Ran refused = recover("--server", "us-1");
      assertThat(refused.code()).as(one).isEqualTo(ExitCode.FAILED);
      assertThat(refused.err())
          .contains(report + " is no report of server 'eu-1'", "delete it", reports.toString())
          .doesNotContain("\tat ");
    }
    Files.writeString(report, good.replaceFirst("\"partition\"\\s*:\\s*0", "\"partition\" : 7"));
    Ran others = recover("--server", "us-1");
    assertThat(others.code()).isEqualTo(ExitCode.FAILED);
    assertThat(others.err()).contains("p7r", "the configuration gives server 'eu-1'");
    Files.delete(report);
    assertThat(recover().err()).contains("rejoin by themselves");
    assertThat(Files.readString(report)).isNotEqualTo("");
    reports = Files.writeString(folder.resolve("file"), "");
    assertThat(recover().code()).isEqualTo(ExitCode.USAGE);
    try (EmbeddedCluster cluster = EmbeddedCluster.start(text);
        MortyClient client = client()) {
      assertThat(cluster).isNotNull();
      put(client, 0, EARLY); // no directory is left in doubt
    }
  }

  // ---- a cluster that has changed ---------------------------------------------------------------

  private void mayChange() throws Exception {
    text = text + "cluster.changes = true\n";
    Files.writeString(file, text);
  }

  private void change(String... args) {
    List<String> line = new ArrayList<>(List.of(args));
    line.addAll(List.of("--config", file.toString()));
    Ran ran = morty(line.toArray(String[]::new));
    assertThat(ran.code()).as(ran.err() + ran.out()).isEqualTo(ExitCode.OK);
  }

  private void assertMap(String... expected) {
    Ran shown = morty("partitions", "show", "--config", file.toString());
    assertThat(shown.out()).contains(expected);
  }

  @Test
  void aClusterThatWasSplitAndMergedGoesBack() throws Exception {
    mayChange();
    try (EmbeddedCluster cluster = EmbeddedCluster.start(text);
        MortyClient client = client()) {
      assertThat(cluster).isNotNull();
      put(client, 0, EARLY);
      change("partitions", "split", "0");
      change("partitions", "merge", "1", "2");
      put(client, EARLY, EARLY + 1);
      Thread.sleep(6_000); // the watermarks pass
      put(client, EARLY + 1, EARLY + 6);
    }
    doubt(SERVERS);
    Ran first = recover();
    assertThat(first.code()).as(first.err()).isEqualTo(ExitCode.OK);
    Ran accepted = recover("--accept-loss");
    assertThat(accepted.code()).as(accepted.err()).isEqualTo(ExitCode.OK);
    Ran again = recover("--accept-loss");
    assertThat(again.out()).contains("'us-1' has gone back already");
    try (EmbeddedCluster cluster = EmbeddedCluster.start(text);
        MortyClient client = client()) {
      assertThat(cluster).isNotNull();
      assertThat(accounts(client)).hasSize((int) EARLY + 1);
      assertMap("map 2", "no change is under");
      put(client, 50, 60);
      change("partitions", "split", "0");
      assertThat(accounts(client)).hasSize((int) EARLY + 11);
      assertMap("map 3", "no change is under");
    }
  }

  /** The server that has joined holds what another one held, and loses its disk as well. */
  @Test
  void aClusterInWhichAServerHasReplacedAnotherGoesBack() throws Exception {
    mayChange();
    int port = LoopbackPorts.free(1).getFirst();
    Path joins =
        Files.writeString(
            folder.resolve("us-2.conf"),
            "cluster { name = shop, seeds = [\"%s\"] }%nserver.data = \"%s\"%n%s%n"
                .formatted(
                    ClusterConfig.load(file).servers().getFirst().address(),
                    data,
                    "server.durability = async"));
    try (EmbeddedCluster cluster = EmbeddedCluster.start(text);
        MortyClient client = client()) {
      change("servers", "add", "us-2", "--address", "127.0.0.1:" + port, "--region", "us");
      try (MortyServer joined = MortyServer.start(ClusterFiles.forServer(joins, "us-2"), "us-2")) {
        assertThat(joined).isNotNull();
        put(client, 0, EARLY);
        change("servers", "replace", "us-1", "us-2");
        cluster.stop("us-1");
        Thread.sleep(6_000); // the watermarks pass
        put(client, EARLY, EARLY + 5);
      }
    }
    doubt(List.of("eu-1"));
    erase("us-2");
    Ran unknown = recover("--server", "us-9");
    assertThat(unknown.code()).isEqualTo(ExitCode.USAGE);
    assertThat(unknown.err()).contains("no server 'us-9'", "copy the reports of the others");
    Ran first = recover("--server", "eu-1", "--server", "ap-1");
    assertThat(first.code()).as(first.err()).isEqualTo(ExitCode.OK);
    assertThat(first.out()).contains("us-2").doesNotContain("us-1");
    Ran second = recover("--server", "us-2");
    assertThat(second.code()).as(second.err()).isEqualTo(ExitCode.OK);
    Ran accepted = recover("--accept-loss");
    assertThat(accepted.code()).as(accepted.err()).isEqualTo(ExitCode.OK);
    assertThat(accepted.out()).contains("server 'us-1' has left the cluster");
    List<MortyServer> servers = new ArrayList<>();
    try {
      for (String name : List.of("eu-1", "ap-1")) {
        servers.add(MortyServer.start(ClusterConfig.load(file), name));
      }
      servers.add(MortyServer.start(ClusterFiles.forServer(joins, "us-2"), "us-2"));
      try (MortyClient client = client()) {
        assertThat(accounts(client)).hasSize((int) EARLY);
        put(client, 50, 60);
      }
      assertMap("on us-2, eu-1, ap-1", "no change is under");
    } finally {
      servers.forEach(MortyServer::close);
    }
  }

  @Test
  void aClusterDoesNotGoBackIntoAChange() throws Exception {
    mayChange();
    try (EmbeddedCluster cluster = EmbeddedCluster.start(text);
        MortyClient client = client()) {
      assertThat(cluster).isNotNull();
      put(client, 0, EARLY);
      Thread.sleep(6_000); // the watermarks pass
      change("partitions", "split", "0");
    }
    doubt(SERVERS);
    assertThat(recover().err()).contains("to map 1 was complete: restore a backup");
    Ran refused = recover("--accept-loss");
    assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
    assertThat(refused.err()).contains("to map 1 was complete: restore a backup");
  }

  /** The folder may hold reports of an earlier day. */
  @Test
  void anOldReportTakesNoDoubtBack() throws Exception {
    EmbeddedCluster.start(text).close();
    assertThat(recover().err()).contains("rejoin by themselves");
    assertThat(recover().err()).contains("rejoin by themselves");
    doubt(SERVERS);
    Ran old = recover();
    assertThat(old.code()).isEqualTo(ExitCode.FAILED);
    assertThat(old.err()).contains("has run since its report", "delete the reports");
    for (String server : SERVERS) {
      assertThat(Files.readString(data.resolve(server).resolve("state"))).contains("doubtful=true");
    }
  }

  @Test
  void aClusterThatNeedNotGoBackDoesNot() throws Exception {
    run();
    doubt(SERVERS.subList(0, 1));
    Ran refused = recover("--accept-loss");
    assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
    assertThat(refused.err()).contains("rejoin");
    try (EmbeddedCluster cluster = EmbeddedCluster.start(text);
        MortyClient client = client()) {
      assertThat(cluster).isNotNull();
      assertThat(accounts(client)).hasSize((int) EARLY + 5);
    }
  }
}
