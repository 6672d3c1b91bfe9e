package org.mortydb.distribution.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.cli.ExitCode;

/** The guide shows code that exists, and its system ends up as lines of a comparison. */
final class AddASystemTest {
  private static final String PAGE = "docs/how-to/add-a-system.md";
  private static final Path PROJECT = Documents.root().resolve("examples/first-system");

  @Test
  void showsCodeThatExists() {
    ShownCode.check(PAGE, PROJECT);
  }

  @Test
  void theSystemHasALineInTheComparisonOnRealServersAndInVirtualTime(@TempDir Path folder) {
    Ran ran =
        CommandLines.morty(
            "compare",
            PROJECT.resolve("hot-accounts.yaml").toString(),
            "--minutes",
            "0.1",
            "--out",
            folder.resolve("out").toString());
    assertThat(ran.code()).as("%s%s", ran.out(), ran.err()).isEqualTo(ExitCode.OK);
    for (String system : List.of("morty", "primary-copy")) {
      assertThat(ran.out().lines())
          .as(ran.out())
          .filteredOn(line -> line.matches(".* " + system + " .*serializable, consistent.*"))
          .hasSize(2);
    }
  }

  @Test
  void theSystemIsSimulated() {
    Ran ran = CommandLines.morty("sim", "--system", "primary-copy", "--seeds", "3");
    assertThat(ran.code()).as("%s%s", ran.out(), ran.err()).isEqualTo(ExitCode.OK);
  }
}
