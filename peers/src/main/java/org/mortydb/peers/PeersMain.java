package org.mortydb.peers;

import java.io.PrintWriter;
import java.util.List;
import org.mortydb.bench.cli.BenchCommands;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.FailureHandler;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

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
        .setParameterExceptionHandler((misuse, arguments) -> misused(misuse))
        .setExecutionExceptionHandler(new FailureHandler(List.of(new BenchCommands())));
  }

  private static int misused(ParameterException misuse) {
    PrintWriter err = misuse.getCommandLine().getErr();
    err.println("morty: " + misuse.getMessage());
    err.println("'morty peers --help' explains its use.");
    err.flush();
    return ExitCode.USAGE;
  }
}
