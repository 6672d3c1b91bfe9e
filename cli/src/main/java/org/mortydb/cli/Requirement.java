package org.mortydb.cli;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Requirements on options beyond their syntax. */
public final class Requirement {
  private Requirement() {}

  /**
   * Checks a condition.
   *
   * @throws ParameterException with this message when the condition does not hold
   */
  public static void that(boolean condition, CommandLine command, String message) {
    if (!condition) {
      throw new ParameterException(command, message);
    }
  }
}
