package org.mortydb.cli;

import picocli.CommandLine;

/**
 * Adds commands to the command line. Implementations are found by {@link java.util.ServiceLoader}
 * in the order of the class path, so that {@code morty} offers whatever is installed.
 */
public interface CommandPlugin {

  /** Adds the plug-in's commands. */
  void addTo(CommandLine morty);

  /**
   * Whether the message of a failure is written for users. The command line then prints it without
   * a stack trace.
   */
  boolean explains(Exception failure);
}
