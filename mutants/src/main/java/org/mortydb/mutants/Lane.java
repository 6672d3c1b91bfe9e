package org.mortydb.mutants;

import java.util.List;

/** One run that may catch a mutant, in a JVM of its own: test classes, or simulated seeds. */
sealed interface Lane {
  /** Test classes by their simple names, separated by spaces. */
  static Lane units(String classes) {
    return new Units(List.of(classes.trim().split("\\s+")));
  }

  /** Options of {@code morty sim}, separated by spaces. */
  static Lane sim(String options) {
    return new Sim(List.of(options.trim().split("\\s+")));
  }

  /** Test classes; the mutant is caught if one of their tests fails. */
  record Units(List<String> classes) implements Lane {
    @Override
    public String toString() {
      return classes.size() == 1 ? classes.getFirst() : classes.size() + " test classes";
    }
  }

  /** Simulated seeds; the mutant is caught if a seed ends with a violation. */
  record Sim(List<String> options) implements Lane {
    @Override
    public String toString() {
      return "sim " + String.join(" ", options);
    }
  }
}
