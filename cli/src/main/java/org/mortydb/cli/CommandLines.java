package org.mortydb.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Runs commands in this process and keeps what they print. */
public final class CommandLines {
  private CommandLines() {}

  /** Runs a command in this process; what it prints is added to {@code out} and {@code err}. */
  public static int run(StringWriter out, StringWriter err, String... args) {
    return Main.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  /**
   * What a command printed, and its exit code.
   *
   * @param code one of {@link ExitCode}
   */
  public record Ran(int code, String out, String err) {}

  /** Runs a command. */
  public static Ran morty(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code = run(out, err, args);
    return new Ran(code, out.toString(), err.toString());
  }
}
