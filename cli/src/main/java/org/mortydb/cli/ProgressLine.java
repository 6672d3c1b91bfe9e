package org.mortydb.cli;

import java.io.Console;
import java.io.PrintStream;

/**
 * Progress of something whose end is not known: one line that is written again and again at a
 * terminal, else a line every few seconds. Used by one thread.
 */
final class ProgressLine implements AutoCloseable {
  private static final long LINE_NANOS = 5_000_000_000L;

  private final PrintStream out;
  private final String name;
  private final boolean rewrites;
  private long shownNanos = System.nanoTime();
  private int length;

  private ProgressLine(PrintStream out, String name, boolean rewrites) {
    this.out = out;
    this.name = name;
    this.rewrites = rewrites;
  }

  static ProgressLine onStandardError(String name) {
    Console console = System.console();
    return new ProgressLine(System.err, name, console != null && console.isTerminal());
  }

  void show(String text) {
    long now = System.nanoTime();
    if (rewrites) {
      String line = name + "  " + text;
      out.print("\r" + line + " ".repeat(Math.max(0, length - line.length())));
      out.flush();
      length = line.length();
    } else if (now - shownNanos >= LINE_NANOS) {
      shownNanos = now;
      out.println(name + "  " + text);
    }
  }

  /** Leaves the line, if there is one. */
  @Override
  public void close() {
    if (length > 0) {
      out.println();
      length = 0;
    }
  }
}
