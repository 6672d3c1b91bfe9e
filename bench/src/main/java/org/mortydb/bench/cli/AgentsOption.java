package org.mortydb.bench.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.fleet.AgentFailedException;
import org.mortydb.bench.fleet.AgentsFile;
import org.mortydb.bench.fleet.LocalAgents;
import org.mortydb.cli.FailedException;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The option {@code --agents}: the agents of a run on several hosts. */
public final class AgentsOption {
  private static final String LOCAL = "local";

  @Option(
      names = "--agents",
      paramLabel = "FILE|local",
      description = {
        "Run servers and clients on the hosts of the agents that FILE names;"
            + " docs/how-to/run-on-hosts.md explains it. With 'local', start an agent for each"
            + " region on this machine, to compare the ways of running."
      })
  private @Nullable String agents;

  /** The agents of a run. */
  public static final class Hosts implements AutoCloseable {
    private final AgentsFile file;
    private final @Nullable LocalAgents local;

    private Hosts(AgentsFile file, @Nullable LocalAgents local) {
      this.file = file;
      this.local = local;
    }

    /** What the file of agents says. */
    public AgentsFile file() {
      return file;
    }

    /** Ends agents on this machine. */
    @Override
    public void close() {
      if (local != null) {
        local.close();
      }
    }
  }

  /** Whether the option is given. */
  public boolean isGiven() {
    return agents != null;
  }

  /**
   * The file; null without the option, or if the agents are to be started on this machine.
   *
   * @throws ParameterException if something in it is wrong
   */
  public @Nullable AgentsFile file(CommandLine command) {
    String given = agents;
    if (given == null || given.equals(LOCAL)) {
      return null;
    }
    try {
      return AgentsFile.read(Path.of(given));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, "--agents: " + e.getMessage(), e);
    }
  }

  /**
   * The agents, which are started on this machine if that is asked for.
   *
   * @param regions the number of regions of the cluster
   * @param folder the folder for the data of servers on this machine
   * @return null without the option
   * @throws ParameterException if something in the file is wrong
   * @throws FailedException if agents cannot be started
   */
  public @Nullable Hosts hosts(CommandLine command, int regions, Path folder) {
    return isGiven() ? hostsOrLocal(command, regions, folder) : null;
  }

  /**
   * The agents, which are started on this machine if that is asked for or without the option.
   *
   * @see #hosts
   */
  public Hosts hostsOrLocal(CommandLine command, int regions, Path folder) {
    AgentsFile file = file(command);
    if (file != null) {
      return new Hosts(file, null);
    }
    try {
      LocalAgents local = LocalAgents.start(regions, folder);
      return new Hosts(local.file(), local);
    } catch (AgentFailedException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    }
  }
}
