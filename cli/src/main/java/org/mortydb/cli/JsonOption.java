package org.mortydb.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;

/** The option {@code --json}: a file for the result of a command. */
public class JsonOption {
  @Option(
      names = "--json",
      order = 1,
      paramLabel = "FILE",
      description = "Also writes the result to FILE, as JSON.")
  private @Nullable Path json;

  /**
   * Checks before a long run that the file can be written.
   *
   * @throws CommandLine.ParameterException when its folder does not exist
   */
  public final void check(CommandLine command) {
    Requirement.writable(command, "--json", json);
  }

  /**
   * Writes a result if a file is named.
   *
   * @throws FailedException when it cannot be written
   */
  public final void write(Object result) {
    if (json == null) {
      return;
    }
    try {
      Json.write(result, json);
    } catch (JacksonException e) {
      throw new FailedException("cannot write " + json + ": " + e.getOriginalMessage(), e);
    }
  }
}
