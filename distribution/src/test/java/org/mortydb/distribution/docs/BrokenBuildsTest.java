package org.mortydb.distribution.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The patches of {@code jepsen/broken}, each of which breaks one rule, fit the sources. */
final class BrokenBuildsTest {
  private static final Pattern HUNK =
      Pattern.compile("@@ -(\\d+)(?:,\\d+)? \\+\\d+(?:,\\d+)? @@.*");

  /** A run of lines of a file that a patch replaces by others. */
  private record Hunk(Path file, List<String> old, List<String> replacement) {}

  static List<Path> patches() throws IOException {
    try (Stream<Path> files = Files.list(Documents.root().resolve("jepsen/broken"))) {
      return files.filter(file -> file.toString().endsWith(".patch")).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("patches")
  void everyPatchApplies(Path patch) throws IOException {
    List<Hunk> hunks = hunks(patch);
    assertThat(hunks).as("the hunks of %s", patch).isNotEmpty();
    for (Hunk hunk : hunks) {
      assertThat(hunk.replacement()).isNotEqualTo(hunk.old());
      assertThat(timesIn(Files.readAllLines(hunk.file()), hunk.old()))
          .as(
              "%s: how often %s has the lines%n%s",
              patch, hunk.file(), String.join("\n", hunk.old()))
          .isEqualTo(1);
    }
  }

  @Test
  void theReadmeListsEveryPatch() throws IOException {
    List<String> listed =
        Files.readAllLines(Documents.root().resolve("jepsen/README.md")).stream()
            .filter(line -> line.startsWith("| `") && line.contains(".patch` |"))
            .map(line -> line.substring(line.indexOf('`') + 1, line.indexOf("` |")))
            .sorted()
            .toList();
    assertThat(listed)
        .containsExactlyElementsOf(
            patches().stream().map(file -> file.getFileName().toString()).toList());
  }

  private static List<Hunk> hunks(Path patch) throws IOException {
    List<Hunk> hunks = new ArrayList<>();
    Path file = null;
    for (String line : Files.readAllLines(patch)) {
      if (line.startsWith("--- a/")) {
        file = Documents.root().resolve(line.substring("--- a/".length()));
      } else if (HUNK.matcher(line).matches()) {
        hunks.add(new Hunk(file, new ArrayList<>(), new ArrayList<>()));
      } else if (!hunks.isEmpty() && !line.startsWith("+++ ")) {
        Hunk hunk = hunks.getLast();
        String text = line.isEmpty() ? "" : line.substring(1);
        if (!line.startsWith("+")) {
          hunk.old().add(text);
        }
        if (!line.startsWith("-")) {
          hunk.replacement().add(text);
        }
      }
    }
    return hunks;
  }

  private static int timesIn(List<String> lines, List<String> some) {
    int times = 0;
    for (int i = 0; i + some.size() <= lines.size(); i++) {
      if (lines.subList(i, i + some.size()).equals(some)) {
        times++;
      }
    }
    return times;
  }
}
