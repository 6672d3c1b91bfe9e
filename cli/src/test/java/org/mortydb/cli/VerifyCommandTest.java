package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.cli.CommandLines.morty;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.client.Client;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.testing.OperatedCluster;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code morty verify}, on a cluster that stores. */
@Timeout(120)
final class VerifyCommandTest {
  @TempDir Path folder;

  @Test
  void aClusterIsCheckedWhileItRunsAndWhenItHasStopped() throws Exception {
    Path data = Files.createDirectory(folder.resolve("data"));
    String config;
    try (OperatedCluster cluster =
        OperatedCluster.start(
            folder,
            false,
            "cluster.partitions = 2",
            "server.durability = async",
            "server.data = \"" + data + "\"",
            "server.replica.retention = 1s")) {
      config = cluster.file().toString();
      Ran running = morty("verify", "running", "--config", config, "--seconds", "1");
      assertThat(running.code()).as("%s%s", running.out(), running.err()).isEqualTo(ExitCode.OK);
      assertThat(running.out()).contains("serializable: yes");
      checkReport(
          morty("verify", "running", "--config", config, "--seconds", "1", "--output", "json"),
          cluster.servers().client());
      write(cluster.servers().client());

      Ran inUse = morty("verify", "stored", "--config", config);
      assertThat(inUse.code()).isEqualTo(ExitCode.VIOLATION);
      assertThat(inUse.out()).contains("us-1", "in use");
      Thread.sleep(2_500); // so that watermarks pass what was written
    }
    Ran stored = morty("verify", "stored", "--config", config, "--output", "json");
    assertThat(stored.code()).as("%s%s", stored.out(), stored.err()).isEqualTo(ExitCode.OK);
    JsonNode told = new JsonMapper().readTree(stored.out());
    assertThat(told.get("directories")).hasSize(3);
    assertThat(told.get("partitions")).hasSize(2);
    int keys = 0;
    for (JsonNode partition : told.get("partitions")) {
      assertThat(partition.get("replicas").asInt()).isEqualTo(3);
      keys += partition.get("keys").asInt();
    }
    assertThat(keys).isGreaterThanOrEqualTo(50);
    Ran two =
        morty(
            "verify",
            "stored",
            "--config",
            config,
            data.resolve("us-1").toString(),
            data.resolve("ap-1").toString());
    assertThat(two.code()).isEqualTo(ExitCode.OK);
    assertThat(two.out()).contains("the replicas agree", "eu-1             not checked");
  }

  private static void checkReport(Ran running, Client client) {
    assertThat(running.code()).as("%s%s", running.out(), running.err()).isEqualTo(ExitCode.OK);
    JsonNode report = new JsonMapper().readTree(running.out());
    assertThat(report.get("committed").asInt()).isPositive();
    assertThat(report.get("serializable").asBoolean()).isTrue();
    assertThat(report.get("recordsDeleted").asBoolean()).isTrue();
    JsonNode check = report.get("check");
    assertThat(check.get("violations").asInt()).isZero();
    assertThat(check.get("reads").asInt()).isPositive();
    // The deletion of the records is one more transaction.
    assertThat(check.get("transactions").asInt())
        .isEqualTo(report.get("committed").asInt() + report.get("unknownOutcome").asInt() + 1);
    KeySpace<Long, byte[]> records =
        KeySpace.of(report.get("keySpace").asString(), Codecs.INT64, Codecs.BYTES);
    assertThat(client.run(txn -> txn.scan(records.all(), 10)))
        .isInstanceOfSatisfying(
            Result.Committed.class, left -> assertThat((List<?>) left.value()).isEmpty());
  }

  private static void write(Client client) {
    KeySpace<Long, Long> space = KeySpace.of("stored", Codecs.INT64, Codecs.INT64);
    for (long i = 0; i < 50; i++) {
      long number = i;
      assertThat(
              client
                  .run(
                      txn -> {
                        txn.put(space.key(number), number);
                        return true;
                      })
                  .isCommitted())
          .isTrue();
    }
  }

  @Test
  void whatIsWrongIsNamed() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("m.conf"),
            OperatedCluster.configuration(false, "server.durability = memory"));
    String config = file.toString();
    assertThat(morty("verify").err()).contains("stored", "running");
    Ran absent = morty("verify", "stored", "--config", config);
    assertThat(absent.code()).isEqualTo(ExitCode.USAGE);
    assertThat(absent.err()).contains(folder.resolve("data").toString());
    assertThat(morty("verify", "stored", "--config", config, folder + "/none").err())
        .contains(folder + "/none");
    Ran other = morty("verify", "stored", "--config", config, folder.toString());
    assertThat(other.code()).isEqualTo(ExitCode.VIOLATION);
    assertThat(other.out()).contains("NOT INTACT");
    assertThat(morty("verify", "running", "--config", config, "--seconds", "0").err())
        .contains("--seconds");
    assertThat(morty("verify", "running", "--config", config, "--clients", "0").err())
        .contains("--clients");
  }
}
