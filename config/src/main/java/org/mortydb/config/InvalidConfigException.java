package org.mortydb.config;

import java.util.List;
import java.util.stream.Collectors;

/** An invalid configuration, with all its problems. */
public final class InvalidConfigException extends Exception {
  private final transient List<ConfigProblem> problems;

  InvalidConfigException(String origin, List<ConfigProblem> problems) {
    super(
        problems.stream()
            .map(problem -> "\n  " + problem)
            .collect(Collectors.joining("", "the configuration " + origin + " is invalid:", "")));
    this.problems = List.copyOf(problems);
  }

  /** Returns all problems, at least one, in the order of the file's parts. */
  public List<ConfigProblem> problems() {
    return problems;
  }
}
