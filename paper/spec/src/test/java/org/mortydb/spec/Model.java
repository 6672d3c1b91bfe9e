package org.mortydb.spec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A module of the specification with one of its configurations.
 *
 * @param module the module that TLC starts from
 * @param configuration the configuration's path, from the folder of the specification
 */
record Model(String module, Path configuration) {

  /** The configuration's folder and name. */
  String name() {
    return configuration.toString().replace(".cfg", "");
  }

  /**
   * The models of a folder, by name. A configuration begins with the name of its module: {@code
   * decision-one-group.cfg} is one of {@code Decision.tla}.
   */
  static List<Model> in(String folder) {
    try (Stream<Path> paths = Files.list(Path.of(folder))) {
      return paths
          .filter(path -> path.toString().endsWith(".cfg"))
          .sorted()
          .map(Model::of)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Model of(Path configuration) {
    String word = configuration.getFileName().toString().split("-", 2)[0];
    return new Model(Character.toUpperCase(word.charAt(0)) + word.substring(1), configuration);
  }

  /**
   * The actions that the configuration says are out of its reach, in a line that begins with {@code
   * \* Never taken:}.
   */
  TreeSet<String> neverTaken() {
    String mark = "\\* Never taken: ";
    return lines()
        .filter(line -> line.startsWith(mark))
        .flatMap(line -> Stream.of(line.substring(mark.length()).split(" ")))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * How much of a model is followed at random.
   *
   * @param behaviours how many behaviours
   * @param depth the most steps of each
   */
  record Simulation(int behaviours, int depth) {}

  /**
   * The simulation that the configuration asks for, in a line {@code \* Simulated: 5000 behaviours
   * of 80 steps}.
   */
  Simulation simulation() {
    Pattern mark = Pattern.compile("\\\\\\* Simulated: (\\d+) behaviours of (\\d+) steps");
    return lines()
        .map(mark::matcher)
        .filter(Matcher::matches)
        .map(m -> new Simulation(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2))))
        .findFirst()
        .orElseThrow();
  }

  /** The temporal properties that the configuration checks, in lines {@code PROPERTY Ends}. */
  List<String> properties() {
    String mark = "PROPERTY ";
    return lines()
        .filter(line -> line.startsWith(mark))
        .map(line -> line.substring(mark.length()).strip())
        .toList();
  }

  /** The invariants that the configuration checks, in a line {@code INVARIANTS Agreement Held}. */
  List<String> invariants() {
    String mark = "INVARIANTS ";
    return lines()
        .filter(line -> line.startsWith(mark))
        .flatMap(line -> Stream.of(line.substring(mark.length()).split(" ")))
        .toList();
  }

  /** The rules that the configuration switches off: its constants that are FALSE. */
  List<String> rulesOff() {
    return constants("FALSE");
  }

  /** The rules that the configuration leaves on. */
  List<String> rulesOn() {
    return constants("TRUE");
  }

  private List<String> constants(String value) {
    return lines()
        .map(line -> line.split("=", 2))
        .filter(sides -> sides.length == 2 && sides[1].strip().equals(value))
        .map(sides -> sides[0].strip())
        .toList();
  }

  private Stream<String> lines() {
    try {
      return Files.readAllLines(configuration).stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return name();
  }
}
