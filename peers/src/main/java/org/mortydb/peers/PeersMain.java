package org.mortydb.peers;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import org.mortydb.bench.audit.AuditFailedException;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.bench.load.LoadFailedException;
import org.mortydb.client.ClusterUnreachableException;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** {@code bin/morty peers}: a command line of its own, so that nothing else needs these clients. */
public final class PeersMain {
  private PeersMain() {}

  /** Runs the command line and exits. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The command line, for tests too. */
  static CommandLine commandLine() {
    return new CommandLine(new PeersCommand())
        .setCommandName("morty peers")
        .setUsageHelpWidth(100)
        .setParameterExceptionHandler((misuse, arguments) -> misused(misuse))
        .setExecutionExceptionHandler((failure, command, parsed) -> failed(failure, command));
  }

  private static int misused(ParameterException misuse) {
    PrintWriter err = misuse.getCommandLine().getErr();
    err.println("morty: " + misuse.getMessage());
    err.println("'morty peers --help' tells how it is used.");
    err.flush();
    return PeersCommand.USAGE;
  }

  private static int failed(Exception failure, CommandLine command) {
    PrintWriter err = command.getErr();
    boolean explained =
        failure instanceof ClusterFailedException
            || failure instanceof ClusterUnreachableException
            || failure instanceof LoadFailedException
            || failure instanceof AuditFailedException
            || failure instanceof UncheckedIOException;
    if (explained) {
      err.println("morty: " + failure.getMessage());
    } else if (failure instanceof InterruptedException) {
      err.println("morty: interrupted");
    } else {
      failure.printStackTrace(err);
    }
    err.flush();
    return PeersCommand.FAILED;
  }
}
