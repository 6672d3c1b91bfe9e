package org.mortydb.distribution.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Compares the code that a guide shows with the project that the guide builds. */
final class ShownCode {
  private ShownCode() {}

  /** Every block of the page, except commands, is a part of a file of the project. */
  static void check(String page, Path project) {
    List<String> files = files(project);
    List<Documents.Block> shown =
        Documents.blocks(page).stream()
            .filter(block -> !block.info().equals(Documents.COMMANDS))
            .toList();
    assertThat(shown).hasSizeGreaterThan(6);
    for (Documents.Block block : shown) {
      assertThat(files)
          .as("%s:%d %s", page, block.line(), block.text())
          .anyMatch(file -> file.contains(block.text()));
    }
  }

  private static List<String> files(Path project) {
    try (Stream<Path> all = Files.walk(project)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !project.relativize(file).startsWith("target"))
          .map(ShownCode::read)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
