package org.mortydb.mutants;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The checkout that mutants are planted in, compiled by Maven; it is never changed itself. */
final class Checkout {
  private final Path root;
  private final List<Path> modules;

  /** The test classes by their simple names. */
  private final Map<String, List<TestClass>> tests = new HashMap<>();

  /** The checkout that has {@code folder} somewhere below it. */
  Checkout(Path folder) {
    Path at = folder.toAbsolutePath();
    while (!Files.isRegularFile(at.resolve("bom/pom.xml"))) {
      at = at.getParent();
      if (at == null) {
        throw new IllegalArgumentException(folder + " does not lie in a checkout of Morty");
      }
    }
    root = at;
    try (Stream<Path> folders = Files.list(root)) {
      modules =
          folders.filter(one -> Files.isRegularFile(one.resolve("pom.xml"))).sorted().toList();
      for (Path module : modules) {
        findTests(module, module.resolve("src/test/java"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void findTests(Path module, Path sources) throws IOException {
    if (!Files.isDirectory(sources)) {
      return;
    }
    try (Stream<Path> files = Files.walk(sources)) {
      files
          .filter(file -> file.toString().endsWith("Test.java"))
          .map(file -> nameOf(sources.relativize(file)))
          .forEach(
              name ->
                  tests
                      .computeIfAbsent(simple(name), key -> new ArrayList<>())
                      .add(new TestClass(module, name)));
    }
  }

  Path file(String relative) {
    return root.resolve(relative);
  }

  /** The rules of the {@link Specification}. */
  List<String> rules() throws IOException {
    return Specification.rules(Files.readAllLines(file("docs/protocol.md")));
  }

  /**
   * What production code and tests run with: a class path, and the test classes of the modules on
   * it. Other modules are left out, because their classes can be older than their sources.
   *
   * @param given the class path of a program that was built from this checkout
   */
  String classPath(String given) {
    Set<String> entries = new LinkedHashSet<>(List.of(given.split(File.pathSeparator)));
    List<Path> built = entries.stream().map(Checkout::real).toList();
    for (Path module : modules) {
      Path target = real(module.resolve("target").toString());
      if (built.stream().anyMatch(entry -> entry.startsWith(target))) {
        entries.add(module.resolve("target/test-classes").toString());
      }
    }
    entries.add(root.resolve("support/test-resources").toString());
    return String.join(File.pathSeparator, entries);
  }

  /** A path without symbolic links: the checkout may be named in two ways. */
  private static Path real(String path) {
    try {
      return new File(path).getCanonicalFile().toPath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The test class of a name.
   *
   * @param name a simple name; or with some packages before it, where simple names are the same
   * @throws IllegalArgumentException if there is none, or more than one
   */
  TestClass test(String name) {
    List<TestClass> found =
        tests.getOrDefault(simple(name), List.of()).stream()
            .filter(test -> ("." + test.name).endsWith("." + name))
            .toList();
    if (found.size() != 1) {
      throw new IllegalArgumentException(
          "test class " + name + ": the checkout has " + found.size() + " of that name");
    }
    return found.getFirst();
  }

  private static String simple(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private static String nameOf(Path file) {
    return file.toString().replaceFirst("\\.java$", "").replace(File.separatorChar, '.');
  }

  /** A test class, and the module in whose folder it runs. */
  record TestClass(Path module, String name) {}
}
