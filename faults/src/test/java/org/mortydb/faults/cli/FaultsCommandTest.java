package org.mortydb.faults.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;

/** What {@code morty faults} refuses, and what it says of a run that shows nothing. */
@Tag("slow")
@Timeout(240)
final class FaultsCommandTest {
  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return CommandLines.run(out, err, args);
  }

  @Test
  void runWithTooFewCommitsHasShownNothing() {
    int code =
        run(
            ("faults --workload set --faults none --seconds 1 --durability memory --f 1"
                    + " --min-ok 1000000 --data %s")
                .formatted(folder)
                .split(" "));
    assertThat(code).as("%s%s", out, err).isEqualTo(ExitCode.FAILED);
    assertThat(out.toString() + err).contains("1,000,000");
  }

  @Test
  void wrongOptionsAreRefused() {
    for (String wrong :
        List.of(
            "--faults flood",
            "--faults disk --durability memory",
            "--workload linear --clock-uncertainty 0",
            "--workload set,set",
            "--seconds 0",
            "--f 0",
            "--concurrency 1 --clients 2")) {
      assertThat(run(("faults " + wrong).split(" "))).as(wrong).isEqualTo(ExitCode.USAGE);
    }
    assertThat(err.toString())
        .contains("'flood' is none of kill, pause, partition, disk, client, change, none")
        .contains("nothing is stored")
        .contains("asks for more than serializability");
  }
}
