package org.mortydb.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThatCode;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.cli.ExitCode;
import org.mortydb.peers.etcd.EtcdRelease;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PeersCommandTest {
  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return PeersMain.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }

  @ParameterizedTest
  @CsvSource({
    "--rounds 0, --rounds",
    "--clients 0, --clients",
    "--seconds 0, --seconds",
    "--keys 5, --keys",
    "--zipf -1, --zipf",
    "--json /no/such/folder/file, /no/such/folder",
    "--workload chess, chess"
  })
  void saysWhatIsWrong(String options, String complaint) {
    List<String> args = new ArrayList<>(List.of("etcd", "--data", folder.toString()));
    args.addAll(Arrays.asList(options.split(" ")));
    assertThat(run(args.toArray(String[]::new))).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains(complaint).contains("morty peers --help");
  }

  @Test
  void thePageHasNoOptionThatThereIsNot() throws Exception {
    List<String> commands =
        Files.readString(Path.of("..", "docs", "reference", "peers.md"))
            .lines()
            .filter(line -> line.startsWith("bin/morty peers "))
            .toList();
    assertThat(commands).isNotEmpty();
    for (String command : commands) {
      String[] args = command.substring("bin/morty peers ".length()).split(" +");
      assertThat(PeersMain.commandLine().parseArgs(args).errors()).as(command).isEmpty();
    }
  }

  @Test
  void dataMustBeADirectory() {
    assertThat(run("etcd", "--data", "/no/such/folder")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--data");
  }

  @Test
  void anUnknownStoreIsAnsweredWithThoseThatExist() {
    assertThat(run("etcd-2.3", "--data", folder.toString())).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("etcd-2.3", "etcd-3.6", "etcd-3.7", "cassandra", "morty");
  }

  @Test
  void aStoreThatIsNotInstalledIsNamedBeforeOthersRun() {
    assumeThatCode(EtcdRelease.LINE_3_6::find).isInstanceOf(ClusterFailedException.class);
    assertThat(run("morty", "etcd-3.6", "--data", folder.toString())).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .startsWith("morty: no program 'etcd-3.6'")
        .contains("support/get-etcd 3.6");
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource
  void runsEtcdIfItIsInstalled(EtcdRelease release) throws Exception {
    assumeThatCode(release::find).doesNotThrowAnyException();
    Path json = folder.resolve("records.json");
    String[] args = {
      release.toString(),
      "--data",
      folder.toString(),
      "--keys",
      "600",
      "--clients",
      "8",
      "--warmup",
      "0.5",
      "--seconds",
      "1",
      "--json",
      json.toString()
    };
    assertThat(run(args)).as(() -> err.toString()).isEqualTo(ExitCode.OK);
    JsonNode record = JsonMapper.builder().build().readTree(Files.readString(json)).get(0);
    assertThat(record.get("system").asString()).isEqualTo(release.toString());
    assertThat(record.get("serializable").asBoolean()).isTrue();
    assertThat(record.get("committedPerSecond").asDouble()).isPositive();
    assertThat(record.get("settings").get("version").asString()).startsWith(versionOf(release));
    assertThat(folder.toFile().list()).as("what is left").containsExactly("records.json");
  }

  private static String versionOf(EtcdRelease release) {
    return switch (release) {
      case INSTALLED -> "3.";
      case LINE_3_6 -> "3.6.";
      case LINE_3_7 -> "3.7.";
    };
  }
}
