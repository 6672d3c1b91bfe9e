package org.mortydb.cli;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** What options have to fulfil beyond their syntax. */
public final class Requirement {
  private Requirement() {}

  /**
   * @throws ParameterException with that message when the condition does not hold
   */
  public static void that(boolean condition, CommandLine command, String message) {
    if (!condition) {
      throw new ParameterException(command, message);
    }
  }
}
