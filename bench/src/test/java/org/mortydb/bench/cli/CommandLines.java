package org.mortydb.bench.cli;

import picocli.CommandLine;

/** The command line of Morty for tests of other packages. */
public final class CommandLines {
  private CommandLines() {}

  /** A new one. */
  public static CommandLine morty() {
    return Main.commandLine();
  }
}
