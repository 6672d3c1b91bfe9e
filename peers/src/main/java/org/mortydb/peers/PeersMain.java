package org.mortydb.peers;

import java.util.List;
import java.util.Set;
import org.mortydb.bench.cli.BenchCommands;
import org.mortydb.cli.FailureHandler;
import org.mortydb.cli.MisuseHandler;
import picocli.CommandLine;

/** {@code bin/morty peers}: a command line of its own, so that others do not need these clients. */
public final class PeersMain {
  private PeersMain() {}

  /** Runs the command line and exits. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The command line. */
  static CommandLine commandLine() {
    return PeersCommand.commandLine()
        .setCommandName("morty peers")
        .setUsageHelpWidth(100)
        .setParameterExceptionHandler(new MisuseHandler(Set.of()))
        .setExecutionExceptionHandler(new FailureHandler(List.of(new BenchCommands())));
  }
}
