package org.mortydb.cli;

import java.io.Console;
import java.io.PrintStream;

/**
 * Shows progress in a line of text: at a terminal one line that each text replaces, else a line
 * every few seconds. Used by one thread.
 */
public final class ProgressLine implements AutoCloseable {
  private static final long LINE_NANOS = 5_000_000_000L;

  private final PrintStream out;
  private final String name;
  private final boolean replaces;
  private long shownNanos = System.nanoTime();
  private String line = "";
  private boolean shown = true;
  private int width;

  private ProgressLine(PrintStream out, String name, boolean replaces) {
    this.out = out;
    this.name = name;
    this.replaces = replaces;
  }

  /** Whether standard error is a terminal. */
  public static boolean isTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /** Progress on standard error. */
  public static ProgressLine onStandardError(String name) {
    return new ProgressLine(System.err, name, isTerminal());
  }

  /** Progress in plain lines. */
  public static ProgressLine inLines(PrintStream out, String name) {
    return new ProgressLine(out, name, false);
  }

  /** Shows a text, or keeps it for the next line. */
  public void show(String text) {
    line = "%-8s %s".formatted(name, text);
    shown = false;
    if (replaces) {
      out.print("\r" + line + " ".repeat(Math.max(0, width - line.length())));
      out.flush();
      width = line.length();
      shown = true;
    } else if (System.nanoTime() - shownNanos >= LINE_NANOS) {
      showLast();
    }
  }

  /** Shows the last text unless it is shown. */
  public void showLast() {
    if (!shown) {
      out.println(line);
      shownNanos = System.nanoTime();
      shown = true;
    }
  }

  /** Ends the line. */
  @Override
  public void close() {
    if (width > 0) {
      out.println();
      width = 0;
    }
  }
}
