package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.cli.CommandLines.morty;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.server.MortyServer;
import org.mortydb.testing.LoopbackPorts;
import org.mortydb.testing.OperatedCluster;
import org.mortydb.transport.ClusterFiles;

/** {@code morty servers} and {@code morty replication}, on servers with disks. */
@Timeout(180)
final class ServersCommandTest {
  private static final KeySpace<String, Long> NUMBERS =
      KeySpace.of("number", Codecs.STRING, Codecs.INT64);
  private static final int KEYS = 64;

  @TempDir private Path folder;

  /** The servers that have joined, by name. */
  private final Map<String, MortyServer> joined = new HashMap<>();

  private OperatedCluster start() throws Exception {
    return OperatedCluster.start(
        folder,
        false,
        "cluster.changes = true",
        "server.replica.watermark-lag = 500ms",
        "server.data = \"" + folder.resolve("d") + "\"");
  }

  @AfterEach
  void stop() {
    joined.values().forEach(MortyServer::close);
  }

  private static Ran run(OperatedCluster cluster, String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--config", cluster.file().toString()));
    return morty(all.toArray(String[]::new));
  }

  private static Ran done(OperatedCluster cluster, String... args) {
    Ran ran = run(cluster, args);
    assertThat(ran.code()).as(ran.err() + ran.out()).isEqualTo(ExitCode.OK);
    return ran;
  }

  private static void assertRefused(Ran ran, String why) {
    assertThat(ran.err()).contains(why);
    assertThat(ran.code()).isEqualTo(ExitCode.VIOLATION);
  }

  /** Lets a server join, and starts it from the addresses of others. */
  private void join(OperatedCluster cluster, String name, String region) throws Exception {
    int port = LoopbackPorts.free(1).getFirst();
    done(cluster, "servers", "add", name, "--address", "127.0.0.1:" + port, "--region", region);
    startJoined(cluster, name);
  }

  private void startJoined(OperatedCluster cluster, String name) throws Exception {
    StringBuilder seeds = new StringBuilder();
    cluster
        .servers()
        .config()
        .servers()
        .forEach(server -> seeds.append('"').append(server.address()).append("\", "));
    joined.values().forEach(one -> seeds.append('"').append(one.spec().address()).append("\", "));
    Path file =
        Files.writeString(
            folder.resolve(name + ".conf"),
            "cluster { name = shop, seeds = [%s] }%nserver.data = \"%s\"%n"
                .formatted(seeds, folder.resolve("d")));
    joined.put(name, MortyServer.start(ClusterFiles.forServer(file, name), name));
  }

  /** Starts it with the file that it has started with before. */
  private MortyServer startAgain(String name) {
    try {
      Path file = folder.resolve(name + ".conf");
      return MortyServer.start(ClusterFiles.forServer(file, name), name);
    } catch (IOException | InvalidConfigException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void fill(MortyClient client) {
    client.run(
        txn -> {
          for (long i = 0; i < KEYS; i++) {
            txn.put(NUMBERS.key("k" + i), i);
          }
          return "";
        });
  }

  private static void assertFilled(MortyClient client) {
    client.run(
        txn -> {
          for (long i = 0; i < KEYS; i++) {
            assertThat(txn.getOrDefault(NUMBERS.key("k" + i), -1L)).isEqualTo(i);
          }
          txn.put(NUMBERS.key("k0"), 0L);
          return "";
        });
  }

  @Test
  void aServerIsReplacedByOneOfAnotherName() throws Exception {
    try (OperatedCluster cluster = start()) {
      MortyClient before = cluster.servers().client();
      fill(before);
      join(cluster, "us-2", "us");
      Ran shown = done(cluster, "servers", "show");
      assertThat(shown.out()).containsPattern("us-1 +us +127.0.0.1:\\d+ +0");
      assertThat(shown.out()).containsPattern("us-2 +us +127.0.0.1:\\d+ +none");
      Ran replaced = done(cluster, "servers", "replace", "us-1", "us-2");
      assertThat(replaced.out()).contains("16,384 buckets on us-2, eu-1, ap-1");
      cluster.servers().stop("us-1");
      assertThat(done(cluster, "servers", "show").out()).contains("us-2").doesNotContain("us-1");
      assertFilled(before);
      Ran status = done(cluster, "status");
      assertThat(status.out()).contains("all replicas serve", "us-2").doesNotContain("us-1");
      try (MortyClient after = MortyClient.connect(cluster.file(), "eu")) {
        assertFilled(after);
      }
      // All restart: their disks remember who is in the cluster.
      for (String name : List.of("eu-1", "ap-1")) {
        cluster.servers().stop(name);
      }
      joined.remove("us-2").close();
      CompletableFuture<Ran> awaited =
          CompletableFuture.supplyAsync(() -> run(cluster, "status", "--wait", "60"));
      TimeUnit.SECONDS.sleep(4); // nobody tells it who is in the cluster
      Thread restart =
          Thread.ofVirtual()
              .start(() -> List.of("eu-1", "ap-1").forEach(cluster.servers()::restart));
      startJoined(cluster, "us-2");
      restart.join();
      Ran whole = awaited.get(90, TimeUnit.SECONDS);
      assertThat(whole.code()).as(whole.err() + whole.out()).isEqualTo(ExitCode.OK);
      try (MortyClient after = MortyClient.connect(cluster.file(), "eu")) {
        assertFilled(after);
      }
      assertThat(done(cluster, "servers", "replace", "us-1", "us-2").out())
          .contains("nothing has changed");
    }
  }

  /** Their files name servers that have left, and none of the others can tell more. */
  @Test
  void serversStartAgainThoughThoseFromWhichTheyStartedHaveLeft() throws Exception {
    try (OperatedCluster cluster = start()) {
      fill(cluster.servers().client());
      List<String> names = List.of("us-2", "eu-2", "ap-2");
      for (String name : names) {
        String region = name.substring(0, 2);
        join(cluster, name, region);
        done(cluster, "servers", "replace", region + "-1", name);
      }
      List.of("us-1", "eu-1", "ap-1").forEach(cluster.servers()::stop);
      joined.values().forEach(MortyServer::close);
      // The first to join knew no other one when it started.
      Files.writeString(
          folder.resolve("us-2.conf"),
          "cluster { name = shop, seeds = [\"%s\"] }%nserver.data = \"%s\"%n"
              .formatted(
                  cluster.servers().config().servers().getFirst().address(), folder.resolve("d")));
      Map<String, CompletableFuture<MortyServer>> started = new LinkedHashMap<>();
      for (String name : names) {
        started.put(name, CompletableFuture.supplyAsync(() -> startAgain(name)));
      }
      for (String name : names) {
        joined.put(name, started.get(name).get(60, TimeUnit.SECONDS));
      }
      Path file =
          Files.writeString(
              folder.resolve("client.conf"),
              "cluster { name = shop, seeds = [\"%s\"] }%n"
                  .formatted(joined.get("eu-2").spec().address()));
      try (MortyClient after = MortyClient.connect(file, "eu")) {
        assertFilled(after);
      }
    }
  }

  @Test
  void fGrowsAndShrinks() throws Exception {
    try (OperatedCluster cluster = start()) {
      MortyClient client = cluster.servers().client();
      fill(client);
      assertRefused(
          run(cluster, "replication", "set", "--f", "2"),
          "with f = 2 each partition needs 5 servers, and there are 3: us-1, eu-1, ap-1; add");
      join(cluster, "us-2", "us");
      join(cluster, "eu-2", "eu");
      done(cluster, "partitions", "split", "0");
      Ran grown = done(cluster, "replication", "set", "--f", "2");
      assertThat(grown.out()).contains("f 2", "8,192 buckets on us-1, eu-1, ap-1");
      assertThat(done(cluster, "status").out()).contains("f = 2, 2 partitions");
      assertFilled(client);
      cluster.servers().stop("us-1");
      joined.remove("eu-2").close();
      assertFilled(client); // the cluster tolerates two lost servers
      cluster.servers().restart("us-1");
      startJoined(cluster, "eu-2");
      assertThat(done(cluster, "status", "--wait", "60").out()).contains("all replicas serve");
      Ran shrunk = done(cluster, "replication", "set", "--f", "1");
      assertThat(shrunk.out()).contains("f 1");
      assertFilled(client);
      assertThat(run(cluster, "replication", "set", "--f", "1").code()).isEqualTo(ExitCode.OK);
      done(cluster, "servers", "remove", "us-2");
      joined.remove("us-2").close();
      assertFilled(client);
      assertThat(done(cluster, "servers", "show").out()).doesNotContain("us-2");
    }
  }

  @Test
  void partitionsGoToServersThatHaveJoined() throws Exception {
    try (OperatedCluster cluster = start()) {
      MortyClient client = cluster.servers().client();
      fill(client);
      assertThat(done(cluster, "rebalance").out()).contains("about as many replicas already");
      for (String region : List.of("us", "eu", "ap")) {
        join(cluster, region + "-2", region);
      }
      Ran proposed = done(cluster, "rebalance", "--partitions", "2");
      assertThat(proposed.out())
          .contains(
              "split partition 0 of us-1, eu-1, ap-1 to ap-2, eu-2, us-2: about ",
              "1 change, one at a time",
              "nothing was changed; --yes carries it out");
      assertThat(done(cluster, "partitions", "show").out()).contains("partition 0: 16,384");
      Ran carriedOut = done(cluster, "rebalance", "--partitions", "2", "--yes");
      assertThat(carriedOut.out())
          .contains("change 1: split", "done", "8,192 buckets on ap-2, eu-2, us-2");
      assertFilled(client);
      assertRefused(
          run(cluster, "rebalance", "--partitions", "20000"), "too few for 20000 partitions");
      assertRefused(
          run(cluster, "rebalance", "--partitions", "2000", "--yes"),
          "nothing was changed: from 2 partitions to 2000 there are more changes");
    }
  }

  /** Clients of its region go on with servers of others. */
  @Test
  void theLastServerOfARegionLeaves() throws Exception {
    try (OperatedCluster cluster = start()) {
      fill(cluster.servers().client());
      join(cluster, "eu-2", "eu");
      assertThat(done(cluster, "servers", "remove", "us-1").out()).contains("eu-1, ap-1");
      cluster.servers().stop("us-1");
      assertThat(done(cluster, "servers", "show").out()).doesNotContain("us-1");
      assertThat(done(cluster, "status", "--region", "us").out()).contains("all replicas serve");
      try (MortyClient client = MortyClient.connect(cluster.file(), "us")) {
        assertFilled(client);
      }
      assertThat(done(cluster, "servers", "remove", "us-1").out()).contains("nothing has changed");
    }
  }

  @Test
  void whatCannotBeIsRefusedAndNothingChanges() throws Exception {
    try (OperatedCluster cluster = start()) {
      String used = cluster.servers().config().servers().get(1).address();
      assertRefused(
          run(cluster, "servers", "add", "us-1", "--address", "127.0.0.1:9", "--region", "us"),
          "server 'us-1' is in the cluster already");
      assertRefused(
          run(cluster, "servers", "add", "us-2", "--address", used, "--region", "us"),
          "server 'eu-1' has the address " + used + " already");
      Ran mars =
          run(cluster, "servers", "add", "us-2", "--address", "127.0.0.1:9", "--region", "mars");
      assertThat(mars.code()).isEqualTo(ExitCode.USAGE);
      assertThat(mars.err()).contains("has no region 'mars', it has us, eu, ap");
      assertThat(run(cluster, "servers", "add", "us-2", "--address", "nowhere").code())
          .isEqualTo(ExitCode.USAGE);
      assertRefused(
          run(cluster, "servers", "remove", "us-9"),
          "the cluster has no server 'us-9': its servers are us-1, eu-1, ap-1");
      assertRefused(
          run(cluster, "servers", "remove", "us-1"),
          "server 'us-1' cannot leave: with f = 1 each partition needs 3 servers, and 2 would be"
              + " left: eu-1, ap-1; add a server first");
      assertRefused(
          run(cluster, "servers", "replace", "us-1", "eu-1"),
          "server 'eu-1' holds a replica of partition 0 already, as server 'us-1' does");
      int port = LoopbackPorts.free(1).getFirst();
      String address = "127.0.0.1:" + port;
      assertThat(
              done(cluster, "servers", "add", "us-2", "--address", address, "--region", "us").out())
          .contains("next: start server 'us-2' with a file that has cluster.seeds");
      assertThat(
              done(cluster, "servers", "add", "us-2", "--address", address, "--region", "us").out())
          .contains("nothing has changed");
      assertRefused(
          run(cluster, "servers", "add", "us-2", "--address", address, "--region", "eu"),
          "server 'us-2' is in the cluster already, and not as asked for");
      assertRefused(run(cluster, "servers", "replace", "us-2", "us-2"), "cannot replace itself");
      assertRefused(run(cluster, "replication", "set", "--f", "0"), "f must be from 1 to");
      assertRefused(run(cluster, "replication", "set", "--f", "99999"), "f must be from 1 to");
      assertRefused(
          run(cluster, "servers", "replace", "us-1", "us-2"), "server 'us-2' cannot be reached");
      assertThat(done(cluster, "partitions", "show").out())
          .contains("16,384 buckets on us-1, eu-1, ap-1", "no change is under way");
      done(cluster, "servers", "remove", "us-2"); // it holds nothing, and need not run
      assertThat(done(cluster, "servers", "show").out()).doesNotContain("us-2");
    }
  }

  @Test
  void everyServerNeedsItsOwnAddresses() throws Exception {
    try (OperatedCluster cluster = start()) {
      List<String> free = LoopbackPorts.free(3).stream().map(port -> "127.0.0.1:" + port).toList();
      List<String> add = List.of("servers", "add", "--region", "us");
      done(cluster, with(add, "us-2", "--address", free.get(0), "--admin", free.get(1)));
      String taken = "server 'us-2' has the address " + free.get(1) + " already";
      assertRefused(
          run(cluster, with(add, "us-3", "--address", free.get(2), "--admin", free.get(1))), taken);
      assertRefused(run(cluster, with(add, "us-3", "--address", free.get(1))), taken);
      assertRefused(
          run(cluster, with(add, "us-3", "--address", free.get(2), "--admin", free.get(0))),
          "server 'us-2' has the address " + free.get(0) + " already");
      Ran same = run(cluster, with(add, "us-3", "--address", free.get(2), "--admin", free.get(2)));
      assertThat(same.code()).isEqualTo(ExitCode.USAGE);
      assertThat(same.err()).contains("--admin: it is '" + free.get(2) + "'", "another port");
      Ran tooLong = run(cluster, with(add, "us-3", "--address", "h".repeat(254) + ":1"));
      assertThat(tooLong.code()).isEqualTo(ExitCode.USAGE);
      assertThat(tooLong.err()).contains("--address: it has 256 characters, the limit is 255");
      done(cluster, "servers", "remove", "us-2");
    }
  }

  private static String[] with(List<String> first, String... more) {
    List<String> all = new ArrayList<>(first);
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  /** f servers are down: a change of partitions that they do not get goes on. */
  @Test
  void aChangeWithAServerDownNeedsItOnlyIfItGetsKeys() throws Exception {
    try (OperatedCluster cluster = start()) {
      MortyClient client = cluster.servers().client();
      fill(client);
      join(cluster, "ap-2", "ap");
      cluster.servers().stop("ap-1");
      assertRefused(run(cluster, "partitions", "split", "0"), "server 'ap-1' cannot be reached");
      Ran replaced = done(cluster, "servers", "replace", "ap-1", "ap-2");
      assertThat(replaced.out()).contains("16,384 buckets on us-1, eu-1, ap-2");
      assertFilled(client);
    }
  }
}
