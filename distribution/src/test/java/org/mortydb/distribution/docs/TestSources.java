package org.mortydb.distribution.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The sources of the checkout, by name and content. */
final class TestSources {
  private TestSources() {}

  /** Whether there is a test class of that simple name. */
  static boolean named(String name) {
    return any("src/test/java", file -> file.endsWith(name + ".java"));
  }

  /** Whether a test has this text. */
  static boolean mention(String text) {
    return any("src/test/java", file -> contains(file, text));
  }

  /** Whether there is a class of that full name, outside of tests. */
  static boolean program(String name) {
    return any("src/main/java", file -> file.endsWith(name.replace('.', '/') + ".java"));
  }

  private static boolean contains(Path file, String text) {
    try {
      return Files.readString(file).contains(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean any(String folder, Predicate<Path> condition) {
    try (Stream<Path> modules = Files.list(Documents.root())) {
      Stream<Path> all = Stream.concat(modules, Stream.of(Documents.root().resolve("paper/spec")));
      for (Path sources : all.map(module -> module.resolve(folder)).toList()) {
        if (Files.isDirectory(sources)) {
          try (Stream<Path> files = Files.walk(sources)) {
            if (files.filter(file -> file.toString().endsWith(".java")).anyMatch(condition)) {
              return true;
            }
          }
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
