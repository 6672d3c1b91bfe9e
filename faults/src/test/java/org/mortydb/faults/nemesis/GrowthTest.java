package org.mortydb.faults.nemesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.cli.CommandLines.morty;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.cluster.ChildJvm;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.bench.cluster.ServerProcess;
import org.mortydb.bench.cluster.ServerProcessMain;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.net.MortyClient;
import org.mortydb.testing.LoopbackPorts;

/**
 * Under load three servers become six and three again, one partition becomes four, and f = 1
 * becomes 2 and 1 again, in real processes of which some die.
 */
@Tag("long")
@Timeout(420)
final class GrowthTest {
  private static final KeySpace<String, Long> NUMBERS =
      KeySpace.of("number", Codecs.STRING, Codecs.INT64);
  private static final int KEYS = 500;
  private static final List<String> SERVER_JVM =
      List.of(
          "-Xms32m",
          "-Xmx192m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseCompactObjectHeaders",
          "--enable-native-access=ALL-UNNAMED");

  @TempDir Path folder;

  private final Map<String, ServerProcess> joined = new LinkedHashMap<>();
  private final AtomicBoolean over = new AtomicBoolean();
  private String file = "";

  @AfterEach
  void stop() throws Exception {
    over.set(true);
    for (ServerProcess server : joined.values()) {
      server.kill();
    }
  }

  private void run(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--config", file));
    Ran ran = morty(all.toArray(String[]::new));
    assertThat(ran.code()).as("%s: %s%s", all, ran.out(), ran.err()).isZero();
  }

  private void join(ProcessCluster servers, int number) throws Exception {
    String name = "server-" + number;
    int port = LoopbackPorts.free(1).getFirst();
    run(
        "servers",
        "add",
        name,
        "--address",
        "127.0.0.1:" + port,
        "--region",
        "region-" + (number - 3));
    StringBuilder seeds = new StringBuilder();
    servers
        .config()
        .servers()
        .forEach(server -> seeds.append('"').append(server.address()).append("\", "));
    Files.writeString(
        folder.resolve(name + ".conf"),
        "cluster { name = %s, seeds = [%s] }%nserver.data = \"%s\"%n"
            .formatted(servers.config().name(), seeds, folder.resolve("data")));
    start(name);
  }

  private void start(String name) throws Exception {
    List<String> command =
        ChildJvm.command(
            SERVER_JVM,
            ServerProcessMain.class,
            "--config",
            folder.resolve(name + ".conf").toString(),
            "--name",
            name);
    ServerProcess server =
        new ServerProcess(name, command, folder.resolve(name + ".log"), new LongAdder());
    joined.put(name, server);
    assertThat(server.awaitServing(System.nanoTime() + TimeUnit.SECONDS.toNanos(60))).isTrue();
  }

  /** The command that merges all partitions. */
  private String[] merge() {
    Ran shown = morty("partitions", "show", "--config", file);
    List<String> args = new ArrayList<>(List.of("partitions", "merge"));
    Matcher partition = Pattern.compile("partition (\\d+):").matcher(shown.out());
    while (partition.find()) {
      args.add(partition.group(1));
    }
    args.addAll(List.of("--on", "server-1,server-2,server-3"));
    return args.toArray(String[]::new);
  }

  /** Transactions go on until the end, and each part of their history is judged. */
  private CompletableFuture<Integer> load() {
    return CompletableFuture.supplyAsync(
        () -> {
          int rounds = 0;
          while (!over.get()) {
            Ran ran = morty("verify", "running", "--config", file, "--seconds", "8");
            assertThat(ran.out() + ran.err()).contains("serializable: yes");
            assertThat(ran.code()).isZero();
            rounds++;
          }
          return rounds;
        });
  }

  private void fill(MortyClient client) {
    client.run(
        txn -> {
          for (long i = 0; i < KEYS; i++) {
            txn.put(NUMBERS.key("k" + i), i);
          }
          return "";
        });
  }

  private void assertFilled() throws Exception {
    try (MortyClient client = MortyClient.connect(Path.of(file), "region-1")) {
      client.run(
          txn -> {
            for (long i = 0; i < KEYS; i++) {
              assertThat(txn.getOrDefault(NUMBERS.key("k" + i), -1L)).isEqualTo(i);
            }
            return "";
          });
    }
  }

  @Test
  void threeBecomeSixAndThreeAgain() throws Exception {
    ClusterSettings settings =
        new ClusterSettings(
            1,
            1,
            OptionalLong.empty(),
            false,
            "sync",
            folder,
            true,
            1,
            SERVER_JVM,
            1,
            1,
            Map.of("cluster.changes", "true", "server.replica.watermark-lag", "500ms"));
    try (ProcessCluster servers = ProcessCluster.start(settings)) {
      file = servers.configFile().toString();
      try (MortyClient client = MortyClient.connect(servers.configFile(), "region-1")) {
        fill(client);
      }
      CompletableFuture<Integer> load = load();
      for (int number = 4; number <= 6; number++) {
        join(servers, number);
      }
      run("rebalance", "--partitions", "4", "--yes");
      servers.kill(1);
      joined.get("server-4").kill();
      assertFilled();
      servers.restart(1);
      servers.awaitServing(1, 60);
      start("server-4");
      run("replication", "set", "--f", "2");
      servers.kill(0);
      joined.get("server-5").kill(); // two of five
      assertFilled();
      servers.restart(0);
      servers.awaitServing(0, 60);
      start("server-5");
      run("status", "--wait", "60");
      run("replication", "set", "--f", "1");
      for (int number = 4; number <= 6; number++) {
        run("servers", "remove", "server-" + number);
        joined.remove("server-" + number).kill();
      }
      run(merge());
      over.set(true);
      assertThat(load.get(120, TimeUnit.SECONDS)).isPositive();
      assertFilled();
      run("status");
    }
  }
}
