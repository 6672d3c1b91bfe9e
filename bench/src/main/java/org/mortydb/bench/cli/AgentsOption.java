package org.mortydb.bench.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.fleet.AgentsFile;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The option {@code --agents}: the file with the agents of a run on several hosts. */
public final class AgentsOption {
  @Option(
      names = "--agents",
      paramLabel = "FILE",
      description = {
        "Run servers and clients on the hosts of the agents that FILE names;"
            + " docs/how-to/run-on-hosts.md explains it."
      })
  private @Nullable Path agents;

  /** Whether a file is named. */
  public boolean isGiven() {
    return agents != null;
  }

  /**
   * The file; null without the option.
   *
   * @throws ParameterException if something in it is wrong
   */
  public @Nullable AgentsFile file(CommandLine command) {
    Path file = agents;
    if (file == null) {
      return null;
    }
    try {
      return AgentsFile.read(file);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, "--agents: " + e.getMessage(), e);
    }
  }
}
