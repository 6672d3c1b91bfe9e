package org.mortydb.bench.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** The command line of Morty for tests. */
public final class CommandLines {
  private CommandLines() {}

  /** A new one. */
  public static CommandLine morty() {
    return Main.commandLine();
  }

  /** Runs a command in this process; what it prints is added to {@code out} and {@code err}. */
  static int run(StringWriter out, StringWriter err, String... args) {
    return morty()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
