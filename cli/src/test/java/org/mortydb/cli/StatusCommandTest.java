package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.cli.CommandLines.morty;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.config.ClusterConfig;
import org.mortydb.server.MicrosClock;
import org.mortydb.server.MortyServer;
import org.mortydb.server.ServerOptions;
import org.mortydb.testing.OperatedCluster;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code morty status}, on a cluster that loses one server after the other. */
@Timeout(180)
final class StatusCommandTest {
  @TempDir Path folder;

  private static Ran status(OperatedCluster cluster, String... more) {
    String[] args = new String[more.length + 5];
    args[0] = "status";
    args[1] = "--config";
    args[2] = cluster.file().toString();
    args[3] = "--timeout";
    args[4] = "5";
    System.arraycopy(more, 0, args, 5, more.length);
    return morty(args);
  }

  private static JsonNode json(Ran ran) {
    return new JsonMapper().readTree(ran.out());
  }

  @Test
  void tellsWhatServesAndWhatDoesNot() throws Exception {
    try (OperatedCluster cluster =
        OperatedCluster.start(
            folder, true, "cluster.partitions = 2", "server.durability = memory")) {
      Ran all = status(cluster);
      assertThat(all.code()).as("%s%s", all.out(), all.err()).isEqualTo(ExitCode.OK);
      assertThat(all.out())
          .contains("cluster 'shop' (morty, f = 1, 2 partitions)")
          .containsPattern("us-1 +us +127\\.0\\.0\\.1:\\d+ +serving +2/2 +\\d+\\.\\d ms")
          .doesNotContain("missing");
      JsonNode told = json(status(cluster, "--output", "json"));
      assertThat(told.get("availability").asString()).isEqualTo("all");
      assertThat(told.get("servers")).hasSize(3);
      JsonNode server = told.get("servers").get(2);
      assertThat(server.get("name").asString()).isEqualTo("ap-1");
      assertThat(server.get("condition").asString()).isEqualTo("serving");
      assertThat(server.get("upMicros").asLong()).isPositive();
      // On one machine there is one clock; what differs is the uncertainty of the question.
      assertThat(Math.abs(server.get("clockOffsetMicros").asLong()))
          .isLessThan(server.get("roundTripMicros").asLong() + 2_000);

      cluster.servers().stop("eu-1");
      Ran quorum = status(cluster);
      assertThat(quorum.code()).isEqualTo(ExitCode.VIOLATION);
      assertThat(quorum.out())
          .containsPattern("eu-1 +eu +127\\.0\\.0\\.1:\\d+ +down +0/2")
          .containsPattern("eu-1: .* 127\\.0\\.0\\.1:\\d+")
          .containsPattern("eu-1: .* admin address 127\\.0\\.0\\.1:")
          .contains(
              "partition 1: 2 of 3 replicas serve, 2 are needed: it works on the slow path;"
                  + " missing: eu-1");

      cluster.servers().stop("us-1");
      Ran waited = status(cluster, "--wait", "1");
      assertThat(waited.code()).isEqualTo(ExitCode.FAILED);
      assertThat(waited.err()).isEqualTo("morty: not all replicas serve after 1 s\n");
      Ran lost = status(cluster, "--output", "json");
      assertThat(lost.code()).isEqualTo(ExitCode.FAILED);
      JsonNode partition = json(lost).get("partitions").get(0);
      assertThat(partition.get("availability").asString()).isEqualTo("none");
      assertThat(partition.get("serving").asInt()).isEqualTo(1);
      assertThat(partition.get("needed").asInt()).isEqualTo(2);
    }
  }

  /** All replicas serve, and yet transactions fail: the exit code must not be that of health. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void clocksThatDifferAreAWarning(boolean admin) throws Exception {
    String text = OperatedCluster.configuration(admin, "server.durability = memory");
    Path file = Files.writeString(folder.resolve("cluster.conf"), text);
    ClusterConfig config = ClusterConfig.parse(text);
    MicrosClock behind = () -> MicrosClock.SYSTEM.nowMicros() - 60_000_000;
    try (MortyServer us = MortyServer.start(config, "us-1");
        MortyServer eu = MortyServer.start(config, "eu-1");
        MortyServer ap =
            MortyServer.start(config, "ap-1", ServerOptions.DEFAULTS.withClock(behind))) {
      CompletableFuture.allOf(us.serving(), eu.serving(), ap.serving()).get(20, TimeUnit.SECONDS);
      Ran ran = morty("status", "--config", file.toString(), "--output", "json");
      assertThat(ran.code()).as(ran.out()).isEqualTo(4);
      JsonNode told = json(ran);
      assertThat(told.get("availability").asString()).isEqualTo("all");
      JsonNode warning = told.get("servers").get(2).get("warnings").get(0);
      assertThat(warning.get("code").asString()).isEqualTo("clock");
      assertThat(warning.get("text").asString()).contains("60.0 s");
      Ran table = morty("status", "--config", file.toString());
      assertThat(table.out()).contains("warning: ap-1: ").doesNotContain("--");
    }
  }

  /**
   * A server may stop while f+1 others of each of its partitions serve, or when it does not serve.
   */
  @Test
  void tellsWhetherAServerMayStop() throws Exception {
    try (OperatedCluster cluster =
        OperatedCluster.start(
            folder, false, "cluster.partitions = 2", "server.durability = memory")) {
      Ran all = status(cluster, "--stopping", "us-1");
      assertThat(all.code()).as("%s%s", all.out(), all.err()).isEqualTo(ExitCode.OK);
      Ran turn = status(cluster, "--stopping", "ap-1", "--wait", "60");
      assertThat(turn.code()).as("%s%s", turn.out(), turn.err()).isEqualTo(ExitCode.OK);

      cluster.servers().stop("eu-1");
      Ran needed = status(cluster, "--stopping", "us-1");
      assertThat(needed.code()).isEqualTo(ExitCode.FAILED);
      assertThat(needed.out()).contains("missing: eu-1");
      assertThat(status(cluster, "--stopping", "us-1", "--wait", "1").code())
          .isEqualTo(ExitCode.FAILED);
      assertThat(status(cluster, "--stopping", "eu-1").code()).as("down").isEqualTo(ExitCode.OK);

      Ran unknown = status(cluster, "--stopping", "us-2");
      assertThat(unknown.code()).isEqualTo(ExitCode.USAGE);
      assertThat(unknown.err()).contains("'us-2'", "us-1, eu-1, ap-1");
    }
  }

  /** What the server says of itself is never older than what its replicas have answered. */
  @Test
  void nothingIsSaidToJoinThatServes() throws Exception {
    String text =
        OperatedCluster.configuration(true, "cluster.partitions = 4", "server.durability = memory");
    Path file = Files.writeString(folder.resolve("cluster.conf"), text);
    ClusterConfig config = ClusterConfig.parse(text);
    for (int i = 0; i < 3; i++) {
      try (MortyServer us = MortyServer.start(config, "us-1");
          MortyServer eu = MortyServer.start(config, "eu-1");
          MortyServer ap = MortyServer.start(config, "ap-1")) {
        JsonNode told =
            json(morty("status", "--config", file.toString(), "--wait", "20", "--output", "json"));
        assertThat(told.get("availability").asString()).isEqualTo("all");
        for (JsonNode server : told.get("servers")) {
          assertThat(server.get("problems")).isEmpty();
          assertThat(server.get("warnings")).isEmpty();
        }
      }
    }
  }

  @Test
  void withoutAdminAddressesReplicasAnswerForThemselves() throws Exception {
    try (OperatedCluster cluster =
        OperatedCluster.start(folder, false, "server.durability = memory")) {
      Ran all = status(cluster, "--wait", "20");
      assertThat(all.code()).as("%s%s", all.out(), all.err()).isEqualTo(ExitCode.OK);
      assertThat(all.out()).containsPattern("ap-1 +ap +127\\.0\\.0\\.1:\\d+ +serving +1/1");
    }
  }

  /** Their leaders and followers answer other questions, which is no reason to call them down. */
  @Test
  void ofOtherSystemsTheAdminAddressTells() throws Exception {
    String[] occ = {"cluster.system = occ", "server.durability = memory"};
    try (OperatedCluster cluster = OperatedCluster.start(folder, true, occ)) {
      Ran told = status(cluster);
      assertThat(told.code()).as("%s%s", told.out(), told.err()).isEqualTo(ExitCode.OK);
    }
    try (OperatedCluster cluster = OperatedCluster.start(folder, false, occ)) {
      Ran untold = status(cluster);
      assertThat(untold.code()).isEqualTo(ExitCode.FAILED);
      assertThat(untold.out()).contains("reachable");
    }
  }

  @Test
  void whatIsWrongIsNamed() throws Exception {
    assertThat(morty("status").err()).contains("--config", "MORTY_CONFIG");
    Path none = folder.resolve("none.conf");
    Ran missing = morty("status", "--config", none.toString());
    assertThat(missing.code()).isEqualTo(ExitCode.USAGE);
    assertThat(missing.err()).contains("none.conf");
    Path file = Files.writeString(folder.resolve("ok.conf"), OperatedCluster.configuration(false));
    Ran region = morty("status", "--config", file.toString(), "--region", "mars");
    assertThat(region.code()).isEqualTo(ExitCode.USAGE);
    assertThat(region.err()).contains("'mars'", "us, eu, ap");
    Ran timeout = morty("status", "--config", file.toString(), "--timeout", "0");
    assertThat(timeout.err()).contains("--timeout");
  }
}
