package org.mortydb.distribution.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.cli.ExitCode;

/** The guide shows code that exists, and its workload ends up as lines of a comparison. */
final class AddAWorkloadTest {
  private static final String PAGE = "docs/how-to/add-a-workload.md";
  private static final Path PROJECT = Documents.root().resolve("examples/first-workload");

  @Test
  void showsCodeThatExists() {
    ShownCode.check(PAGE, PROJECT);
  }

  @Test
  void theWorkloadHasALineForEachSystemInTheComparison(@TempDir Path folder) {
    Ran ran =
        CommandLines.morty(
            "compare",
            PROJECT.resolve("tickets.yaml").toString(),
            "--minutes",
            "0.1",
            "--out",
            folder.resolve("out").toString());
    assertThat(ran.code()).as("%s%s", ran.out(), ran.err()).isEqualTo(ExitCode.OK);
    for (String system : List.of("morty", "mvtso", "tapir", "spanner", "occ")) {
      assertThat(ran.out().lines())
          .as(ran.out())
          .anyMatch(
              line -> line.matches("(Tickets, Zipf 0\\.9)? +" + system + " .*serializable.*"));
    }
  }
}
