package org.mortydb.faults.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A cluster that grows and shrinks in one run, with real processes that are killed. */
@Timeout(900)
final class GrowthCommandTest {
  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  @Tag("long")
  void aClusterGrowsAndShrinksAndNothingIsLost() throws IOException {
    Path json = folder.resolve("growth.json");
    Path svg = folder.resolve("growth.svg");
    int code =
        CommandLines.run(
            out,
            err,
            ("growth --minutes 7 --partitions 2 --rate 50 --keys 600 --data %s --json %s --plot %s")
                .formatted(folder, json, svg)
                .split(" "));
    assertThat(code).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    JsonNode report = new JsonMapper().readTree(json);
    assertThat(report.get("serializable").asBoolean()).isTrue();
    assertThat(report.get("lost").asLong()).isZero();
    assertThat(report.get("kills").asInt()).isEqualTo(6);
    assertThat(report.get("steps").valueStream().map(step -> step.get("kind").asString()))
        .contains("join", "split", "replication", "replace", "remove", "kill");
    assertThat(Files.readString(svg)).startsWith("<svg");
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void wrongOptionsAreRefused() {
    for (String wrong :
        List.of(
            "--minutes 0",
            "--rate 0",
            "--clients 0",
            "--keys 3",
            "--partitions 1",
            "--durability memory",
            "--data " + folder.resolve("missing"),
            "--founders " + folder.resolve("missing"),
            "--founders " + folder,
            "--plot " + folder.resolve("missing/plot.svg"))) {
      assertThat(CommandLines.run(out, err, ("growth " + wrong).split(" ")))
          .as(wrong)
          .isEqualTo(ExitCode.USAGE);
    }
  }
}
