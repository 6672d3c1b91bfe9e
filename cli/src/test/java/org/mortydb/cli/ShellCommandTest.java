package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.cli.CommandLines.morty;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.testing.OperatedCluster;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code morty shell} in scripts. */
@Timeout(90)
final class ShellCommandTest {
  private static final JsonMapper MAPPER = new JsonMapper();

  @TempDir private static Path folder;

  private static OperatedCluster cluster;

  @BeforeAll
  static void startCluster() throws Exception {
    cluster = OperatedCluster.start(folder, false, "server.durability = memory");
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  private static Ran shell(String... arguments) {
    List<String> line = new ArrayList<>(List.of("shell", "--config", cluster.file().toString()));
    line.addAll(List.of(arguments));
    return morty(line.toArray(String[]::new));
  }

  @Test
  void statementsComeFromOptionsFilesAndPipes() throws Exception {
    Ran options = shell("-e", "put a 1; add a 1", "--execute", "get a b");
    assertThat(options.code()).as(options.err()).isEqualTo(ExitCode.OK);
    assertThat(options.out()).isEqualTo("ok\na = 2\na = 2\nb holds nothing\n");

    Path script =
        Files.writeString(
            folder.resolve("script.txt"), "# three\nbegin\nadd a 40\ndelete b\ncommit\nget a\n");
    Ran file = shell(script.toString(), "--region", "eu");
    assertThat(file.out()).isEqualTo("begun\na = 42\nok\ncommitted\na = 42\n");

    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream("get a\nquit\nget b".getBytes(StandardCharsets.UTF_8)));
      Ran pipe = shell("--timing");
      assertThat(pipe.out()).matches("a = 42\n\\(\\d+\\.\\d ms, read-only path.*\\)\n");
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void aScriptEndsAtTheFirstStatementThatFails() {
    Ran failed = shell("-e", "put w word; add w 1; put w gone");
    assertThat(failed.code()).isEqualTo(ExitCode.VIOLATION);
    assertThat(failed.err()).startsWith("refused: w holds word");
    assertThat(shell("-e", "get w").out()).isEqualTo("w = word\n");
  }

  @Test
  void aScriptThatDoesNotCommitIsRolledBack() {
    Ran unfinished = shell("-e", "put u word; begin; put u 1");
    assertThat(unfinished.code()).isEqualTo(ExitCode.VIOLATION);
    assertThat(unfinished.err()).startsWith("rolled back: ");
    assertThat(shell("-e", "get u").out()).isEqualTo("u = word\n");
  }

  @Test
  void programsGetAnObjectALine() {
    Ran ran =
        shell(
            "--output",
            "json",
            "-e",
            "put n 7 as int64; get n none as int64; begin; add n 1 as int64; commit",
            "-e",
            "nonsense");
    assertThat(ran.code()).isEqualTo(ExitCode.VIOLATION);
    List<JsonNode> lines = ran.out().lines().map(MAPPER::readTree).toList();
    assertThat(lines)
        .extracting(line -> line.get("event").asString())
        .containsExactly("put", "get", "begin", "add", "commit", "failed");
    assertThat(lines.get(0).get("writes").get(0).get("value").asLong()).isEqualTo(7);
    JsonNode reads = lines.get(1).get("reads");
    assertThat(reads.get(0).get("key").asString()).isEqualTo("n");
    assertThat(reads.get(0).get("value").asLong()).isEqualTo(7);
    assertThat(reads.get(1).get("value").isNull()).isTrue();
    assertThat(lines.get(1).get("micros").asLong()).isPositive();
    assertThat(lines.get(3).get("writes").get(0).get("value").asLong()).isEqualTo(8);
    assertThat(lines.get(4).get("attempts").asInt()).isEqualTo(1);
    assertThat(lines.get(5).get("kind").asString()).isEqualTo("syntax");
  }

  /** The values would be others than those that were typed. */
  @Test
  void statementsThatAreNotInUtf8AreRefused() throws Exception {
    byte[] statements = "put enc K\u00e4se\n".getBytes(StandardCharsets.ISO_8859_1);
    Path script = Files.write(folder.resolve("latin.txt"), statements);
    Ran file = shell(script.toString());
    assertThat(file.code()).isEqualTo(ExitCode.FAILED);
    assertThat(file.err())
        .isEqualTo(
            "morty: the script "
                + script
                + " is not text in UTF-8: save it in UTF-8; nothing was run"
                + System.lineSeparator());
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream(statements));
      Ran pipe = shell();
      assertThat(pipe.code()).isEqualTo(ExitCode.FAILED);
      assertThat(pipe.err()).contains("is not text in UTF-8").doesNotContain("\tat ");
    } finally {
      System.setIn(before);
    }
    assertThat(shell("-e", "get enc").out()).isEqualTo("enc holds nothing\n");
  }

  @Test
  void whatIsWrongIsNamed() throws Exception {
    String config =
        Files.writeString(folder.resolve("down.conf"), OperatedCluster.configuration(false))
            .toString();
    Ran both = morty("shell", "--config", config, "-e", "get a", "statements.txt");
    assertThat(both.code()).isEqualTo(ExitCode.USAGE);
    assertThat(both.err()).contains("-e", "file");
    Ran none = morty("shell", "--config", config, folder.resolve("none.txt").toString());
    assertThat(none.err()).contains("none.txt");
    assertThat(morty("shell", "--config", config, "--idle", "0").err()).contains("--idle");
    Ran down = morty("shell", "--config", config, "-e", "get a");
    assertThat(down.code()).isEqualTo(ExitCode.FAILED);
    assertThat(down.err()).contains("us-1", "ap-1");
  }
}
