package org.mortydb.cli;

import java.io.PrintWriter;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The option {@code --output}: the form in which a command prints its result. */
public final class OutputOption {
  @Option(
      names = "--output",
      order = 1,
      paramLabel = "FORM",
      defaultValue = "text",
      description = "The form of the result: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat format = OutputFormat.TEXT;

  /** Whether the command prints JSON. */
  public boolean isJson() {
    return format == OutputFormat.JSON;
  }

  /**
   * Prints a result to the command's output.
   *
   * @param text the result for people, with a line break at its end
   */
  public void print(CommandLine command, Object result, Supplier<String> text) {
    PrintWriter out = command.getOut();
    out.print(isJson() ? Json.text(result) + System.lineSeparator() : text.get());
    out.flush();
  }
}
