package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mortydb.cli.CommandLines.morty;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.client.net.ClusterChange;
import org.mortydb.client.net.ClusterChange.State;
import org.mortydb.client.net.MortyClient;
import org.mortydb.protocol.change.Plans;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.OperatedCluster;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code morty partitions}, on servers with disks. */
@Timeout(120)
final class PartitionsCommandTest {
  private static final KeySpace<String, Long> NUMBERS =
      KeySpace.of("number", Codecs.STRING, Codecs.INT64);
  private static final int KEYS = 64;

  @TempDir private Path folder;

  private OperatedCluster start() throws Exception {
    return OperatedCluster.start(
        folder, false, "cluster.changes = true", "server.data = \"" + folder.resolve("d") + "\"");
  }

  private static Ran partitions(OperatedCluster cluster, String... args) {
    List<String> all = new ArrayList<>(List.of("partitions"));
    all.addAll(List.of(args));
    all.addAll(List.of("--config", cluster.file().toString()));
    return morty(all.toArray(String[]::new));
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
          return "";
        });
  }

  private static void assertRefused(Ran ran, String why) {
    assertThat(ran.err()).contains(why);
    assertThat(ran.code()).isEqualTo(ExitCode.VIOLATION);
  }

  /** The check fails if a commit is lost, or read in two partitions at different times. */
  @Test
  void aSplitUnderLoadLosesNothingAndARestartKeepsTheMap() throws Exception {
    try (OperatedCluster cluster = start()) {
      EmbeddedCluster servers = cluster.servers();
      fill(servers.client());
      CompletableFuture<Ran> load =
          CompletableFuture.supplyAsync(
              () ->
                  morty(
                      "verify",
                      "running",
                      "--config",
                      cluster.file().toString(),
                      "--seconds",
                      "8"));
      TimeUnit.SECONDS.sleep(1);
      Ran split = partitions(cluster, "split", "0");
      assertThat(split.code()).as(split.err()).isEqualTo(ExitCode.OK);
      assertThat(split.out()).contains("partition 1: 8,192 buckets on us-1, eu-1, ap-1");
      assertThat(load.isDone()).isFalse();
      Ran status = morty("status", "--config", cluster.file().toString());
      assertThat(status.out()).contains("2 partitions, map 1): all replicas serve");
      assertThat(status.code()).as(status.out()).isEqualTo(ExitCode.OK);
      Ran verified = load.get(60, TimeUnit.SECONDS);
      assertThat(verified.out() + verified.err()).contains("serializable: yes");
      assertThat(verified.code()).isEqualTo(ExitCode.OK);
      assertFilled(servers.client());
      for (String name : List.of("us-1", "eu-1", "ap-1")) {
        servers.stop(name);
      }
      for (String name : List.of("us-1", "eu-1", "ap-1")) {
        servers.restart(name);
      }
      Ran shown = partitions(cluster, "show");
      assertThat(shown.out())
          .contains("map 1, f 1", "partition 0: 8,192", "partition 1: 8,192", "no change is under");
      try (MortyClient other = servers.connect("eu")) {
        assertFilled(other);
      }
      Ran moved = partitions(cluster, "move", "1", "--on", "ap-1,us-1,eu-1");
      assertThat(moved.code()).as(moved.err()).isEqualTo(ExitCode.OK);
      assertThat(moved.out())
          .contains("map 2", "partition 2: 8,192 buckets on ap-1, us-1, eu-1")
          .doesNotContain("partition 1:");
      assertFilled(servers.client());
      Ran merged = partitions(cluster, "merge", "0", "2");
      assertThat(merged.code()).as(merged.err()).isEqualTo(ExitCode.OK);
      assertThat(merged.out())
          .contains("map 3", "partition 3: 16,384 buckets on us-1, eu-1, ap-1")
          .doesNotContain("partition 0:", "partition 2:");
      assertFilled(servers.client());
    }
  }

  private static String digest(OperatedCluster cluster, Path file) {
    Ran made =
        morty("backup", "--config", cluster.file().toString(), file.toString(), "--output", "json");
    assertThat(made.code()).as(made.err() + made.out()).isEqualTo(ExitCode.OK);
    JsonNode summary = new JsonMapper().readTree(made.out());
    assertThat(summary.get("rows").asLong()).isEqualTo(KEYS);
    return summary.get("digest").asString();
  }

  private static void assertReadable(MortyClient client, ReadLevel level) {
    Result<Long> sum =
        client.run(
            client.options().forReading(level),
            txn -> {
              long all = 0;
              for (long i = 0; i < KEYS; i++) {
                all += txn.getOrDefault(NUMBERS.key("k" + i), -1L);
              }
              return all;
            });
    assertThat(sum.isCommitted()).as("%s: %s", level, sum).isTrue();
    assertThat(((Result.Committed<Long>) sum).value()).isEqualTo(KEYS * (KEYS - 1) / 2);
  }

  @Test
  void backupsAndReadsOfThePastGoOnBeforeDuringAndAfterChanges() throws Exception {
    try (OperatedCluster cluster =
        OperatedCluster.start(
            folder,
            false,
            "cluster.changes = true",
            "server.replica.watermark-lag = 1s",
            "server.data = \"" + folder.resolve("d") + "\"")) {
      MortyClient client = cluster.servers().client();
      fill(client);
      CompletableFuture<String> during =
          CompletableFuture.supplyAsync(() -> digest(cluster, folder.resolve("during")));
      assertThat(partitions(cluster, "split", "0").code()).isEqualTo(ExitCode.OK);
      assertReadable(client, ReadLevel.NEWEST_SNAPSHOT);
      assertReadable(client, ReadLevel.LOCAL);
      assertThat(partitions(cluster, "move", "0", "--on", "ap-1,us-1,eu-1").code())
          .isEqualTo(ExitCode.OK);
      assertReadable(client, ReadLevel.bounded(Duration.ofSeconds(5)));
      String whole = during.get(60, TimeUnit.SECONDS);
      assertThat(digest(cluster, folder.resolve("after"))).isEqualTo(whole);
      CompletableFuture<String> merging =
          CompletableFuture.supplyAsync(() -> digest(cluster, folder.resolve("merging")));
      assertThat(partitions(cluster, "merge", "1", "2").code()).isEqualTo(ExitCode.OK);
      assertThat(merging.get(60, TimeUnit.SECONDS)).isEqualTo(whole);
      // The watermark has passed the last cut: no votes are asked for any more.
      TimeUnit.SECONDS.sleep(3);
      for (ReadLevel level : List.of(ReadLevel.NEWEST_SNAPSHOT, ReadLevel.LOCAL)) {
        assertReadable(client, level);
      }
      assertReadable(client, ReadLevel.bounded(Duration.ofSeconds(5)));
      Result<String> read =
          client.run(
              client.options().forReading(ReadLevel.NEWEST_SNAPSHOT),
              txn -> {
                txn.getOrDefault(NUMBERS.key("k1"), -1L);
                return "";
              });
      assertThat(read.info().path()).isEqualTo(Completion.Path.PAST);
      Ran restored =
          morty(
              "restore",
              "--config",
              cluster.file().toString(),
              "--overwrite",
              folder.resolve("during").toString());
      assertThat(restored.code()).as(restored.err()).isEqualTo(ExitCode.OK);
      assertThat(digest(cluster, folder.resolve("again"))).isEqualTo(whole);
    }
  }

  @Test
  void aPlanThatCannotBeIsRefusedAndNothingChanges() throws Exception {
    try (OperatedCluster cluster = start()) {
      assertRefused(partitions(cluster, "split", "7"), "there is no partition 7 in map 0");
      assertRefused(
          partitions(cluster, "split", "0", "--on", "us-1,eu-1"), "needs 3 different servers");
      assertRefused(partitions(cluster, "merge", "0", "0"), "two or more different partitions");
      assertRefused(partitions(cluster, "merge", "0", "3"), "there is no partition 3 in map 0");
      assertRefused(
          partitions(cluster, "move", "0", "--on", "us-1,eu-1,eu-1"), "needs 3 different servers");
      assertRefused(
          partitions(cluster, "move", "0", "--on", "us-1, eu-1, mars-1"), "has no server 'mars-1'");
      assertRefused(
          partitions(cluster, "split", "0", "--on", "us-1,us-1,ap-1"), "'us-1' is named twice");
      for (String on : List.of("us-1,,ap-1", "us-1,eu-1,ap/1")) {
        Ran unnamed = partitions(cluster, "move", "0", "--on", on);
        assertThat(unnamed.code()).as(on).isEqualTo(ExitCode.USAGE);
        assertThat(unnamed.err()).contains("--on holds '", "a name must be");
      }
      assertRefused(partitions(cluster, "split", "-1"), "there is no partition -1 in map 0");
      assertThat(partitions(cluster, "split", "half").code()).isEqualTo(ExitCode.USAGE);
      Ran there = partitions(cluster, "move", "0", "--on", "us-1,eu-1,ap-1");
      assertThat(there.out()).contains("nothing has changed", "map 0");
      assertThat(there.code()).as(there.err()).isEqualTo(ExitCode.OK);
      Ran nothing = partitions(cluster, "resume");
      assertThat(nothing.code()).as(nothing.err()).isEqualTo(ExitCode.OK);
      assertThat(nothing.out()).contains("no change was under way");
      cluster.servers().stop("ap-1");
      assertRefused(partitions(cluster, "split", "0"), "server 'ap-1' cannot be reached");
      assertThat(partitions(cluster, "show").out()).contains("map 0", "no change is under way");
      cluster.servers().stop("eu-1");
      assertThat(partitions(cluster, "split", "0", "--timeout", "2").code())
          .isEqualTo(ExitCode.FAILED);
      cluster.servers().stop("us-1");
      Ran down = partitions(cluster, "show", "--timeout", "2");
      assertThat(down.code()).as(down.err()).isEqualTo(ExitCode.FAILED);
      Path seeds =
          Files.writeString(
              folder.resolve("seeds.conf"),
              "cluster { name = shop, seeds = [\"%s\"] }"
                  .formatted(cluster.servers().config().servers().getFirst().address()));
      Ran unreachable = morty("partitions", "show", "--config", seeds.toString());
      assertThat(unreachable.err()).contains("no server in cluster.seeds").doesNotContain("Usage");
      assertThat(unreachable.code()).isEqualTo(ExitCode.FAILED);
    }
  }

  /** Somebody with the right 'admin' has written other bytes into the record of a map. */
  @Test
  void aRecordThatIsNoneIsNamedAtOnce() throws Exception {
    try (OperatedCluster cluster = start()) {
      TypedKey<String> record = TypedKey.of(MapRecord.key(0), Codecs.STRING);
      cluster
          .servers()
          .client()
          .run(
              txn -> {
                txn.put(record, "mine");
                return "";
              });
      assertRefused(partitions(cluster, "show"), "the record of map 0 was overwritten");
      assertRefused(partitions(cluster, "split", "0"), "restore a backup into a new cluster");
    }
  }

  @Test
  void twoOperatorsAtOnceDoNotHarmEachOther() throws Exception {
    try (OperatedCluster cluster = start()) {
      fill(cluster.servers().client());
      List<CompletableFuture<Ran>> both =
          Stream.of("a", "b")
              .map(who -> CompletableFuture.supplyAsync(() -> partitions(cluster, "split", "0")))
              .toList();
      int done = 0;
      for (CompletableFuture<Ran> one : both) {
        Ran ran = one.get(60, TimeUnit.SECONDS);
        if (ran.code() == ExitCode.OK) {
          done++;
        } else {
          assertRefused(ran, "another change is under way");
        }
      }
      assertThat(done).isPositive();
      assertThat(partitions(cluster, "resume").code()).isEqualTo(ExitCode.OK);
      assertThat(partitions(cluster, "show").out())
          .contains("map " + done + ",", "no change is under way");
      assertFilled(cluster.servers().client());
    }
  }

  @Test
  void whatServersHaveStoredIsVerifiedAfterChanges() throws Exception {
    try (OperatedCluster cluster = start()) {
      fill(cluster.servers().client());
      assertThat(partitions(cluster, "split", "0").code()).isEqualTo(ExitCode.OK);
      assertThat(partitions(cluster, "move", "0", "--on", "ap-1,us-1,eu-1").code())
          .isEqualTo(ExitCode.OK);
      for (String name : List.of("us-1", "eu-1", "ap-1")) {
        cluster.servers().stop(name);
      }
      Ran stored =
          morty("verify", "stored", "--config", cluster.file().toString(), "--output", "json");
      assertThat(stored.code()).as(stored.err() + stored.out()).isEqualTo(ExitCode.OK);
      JsonNode told = new JsonMapper().readTree(stored.out());
      List<Integer> compared = new ArrayList<>();
      told.get("partitions").forEach(one -> compared.add(one.get("partition").asInt()));
      assertThat(compared).containsExactly(0, 1, 2);
      assertThat(told.get("disagreements").asLong()).isZero();
    }
  }

  @Test
  void aMapThatMayNotChangeDoesNot() throws Exception {
    try (OperatedCluster cluster =
        OperatedCluster.start(folder, false, "server.durability = memory")) {
      assertRefused(partitions(cluster, "split", "0"), "does not have cluster.changes");
      Ran shown = partitions(cluster, "show");
      assertThat(shown.code()).as("%s%s", shown.out(), shown.err()).isEqualTo(ExitCode.OK);
      assertThat(shown.out())
          .isEqualTo(
              """
              map 0, f 1
                partition 0: 16,384 buckets on us-1, eu-1, ap-1
              the map cannot change, because the cluster file does not have cluster.changes
              """);
    }
  }

  /** Its process dies once the change is proposed, or decided. */
  @ParameterizedTest
  @EnumSource(names = {"PROPOSED", "DECIDED"})
  void aChangeWhoseProcessHasDiedIsResumed(State at) throws Exception {
    try (OperatedCluster cluster = start()) {
      fill(cluster.servers().client());
      Thread process = Thread.currentThread();
      try (MortyClient dying = cluster.servers().connect("us")) {
        assertThatThrownBy(
                () ->
                    ClusterChange.carryOut(
                        dying,
                        Plans.split(0, null),
                        Duration.ofSeconds(60),
                        (state, map) -> {
                          if (state == at) {
                            process.interrupt();
                          }
                        }))
            .isInstanceOf(InterruptedException.class);
      }
      assertThat(partitions(cluster, "show").out()).contains("a change is under way");
      assertRefused(partitions(cluster, "split", "0"), "another change is under way");
      Ran resumed = partitions(cluster, "resume");
      assertThat(resumed.code()).as(resumed.err()).isEqualTo(ExitCode.OK);
      assertThat(resumed.out()).contains("map 1", "partition 1: 8,192");
      assertThat(partitions(cluster, "show").out()).contains("map 1", "no change is under way");
      assertFilled(cluster.servers().client());
    }
  }
}
