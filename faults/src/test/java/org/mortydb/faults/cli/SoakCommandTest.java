package org.mortydb.faults.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A soak of some seconds, with real processes that are killed. */
@Tag("slow")
@Timeout(240)
final class SoakCommandTest {
  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return CommandLines.run(out, err, args);
  }

  @Test
  void killedServersLoseNothing() throws IOException {
    Path json = folder.resolve("soak.json");
    int code =
        run(
            ("soak --minutes 0.2 --kill-every 3 --checkpoint-log 1 --clients 8 --keys 600"
                    + " --data %s --json %s")
                .formatted(folder, json)
                .split(" "));
    assertThat(code).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    JsonNode report = new JsonMapper().readTree(json);
    assertThat(report.get("serializable").asBoolean()).isTrue();
    assertThat(report.get("lost").asLong()).isZero();
    // A killed server may be slow to come back on a busy machine, and only one is down at a time.
    assertThat(report.get("kills").asInt()).isPositive();
    assertThat(report.get("transactions").asLong()).isPositive();
    assertThat(report.get("check").get("transactions").asLong())
        .as("the load, 10 transactions that read all back, and 2 that filled the records")
        .isGreaterThanOrEqualTo(report.get("transactions").asLong() + 12);
    JsonNode resources = report.get("resources");
    assertThat(resources.get("disk").get("lastQuarterMb").asDouble()).isPositive();
    assertThat(resources.get("samples").size()).isGreaterThanOrEqualTo(3);
    assertThat(resources.get("samples").get(0).get("diskMb").size()).isEqualTo(3);
    assertThat(report.get("recoveries").isIntegralNumber()).isTrue();
    assertThat(out.toString()).contains("transactions recovered").contains("largest of a server");
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactly(json);
    }
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
        .as("server processes that are left over")
        .isEmpty();
  }

  @Test
  void wrongOptionsAreRefused() {
    for (String wrong :
        List.of(
            "--minutes 0",
            "--kill-every -1",
            "--wipe-share 1.5",
            "--durability disk",
            "--durability memory --wipe-share 0.5",
            "--checkpoint-log 0",
            "--checkpoint-log 4000",
            "--clients 0",
            "--keys 3",
            "--partitions 0",
            "--data " + folder.resolve("missing"),
            "--json " + folder.resolve("missing/run.json"))) {
      assertThat(run(("soak " + wrong).split(" "))).as(wrong).isEqualTo(ExitCode.USAGE);
    }
    assertThat(out.toString()).isEmpty();
  }
}
