package org.mortydb.bench.cli;

import java.io.PrintWriter;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.bench.load.LoadFailedException;
import org.mortydb.client.ClusterUnreachableException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of Morty. */
@Command(
    name = "morty",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    synopsisSubcommandLabel = "COMMAND",
    header = "A leaderless, geo-replicated, serializable transactional key-value store.",
    description = {
      "",
      "To see it at work: a cluster of three regions on this machine, a social network on it,"
          + " measured and checked for serializability, in about a minute:",
      "",
      "  morty bench retwis",
      "",
      "The same with real server processes, an uneven load, and 30 ms between the regions:",
      "",
      "  morty bench retwis --processes --zipf 0.9 --delay 30",
      ""
    },
    footer = {"", "'morty COMMAND --help' explains a command."},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all went well, and no check found a violation",
      "1:a check found a violation",
      "2:the command line is wrong",
      "3:something could not be run, or was cut short"
    },
    subcommands = {BenchCommand.class})
public final class Main implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Runs the command line and exits. */
  public static void main(String[] args) {
    System.exit(execute(args));
  }

  /** Runs a command line; returns the exit code. */
  public static int execute(String... args) {
    return commandLine().execute(args);
  }

  /** The command line, for tests and documentation. */
  static CommandLine commandLine() {
    return new CommandLine(new Main())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpWidth(100)
        .setExecutionExceptionHandler((failure, command, parsed) -> failed(failure, command));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  /** Says in a sentence what a user can know and mend; shows the rest to those who maintain it. */
  private static int failed(Exception failure, CommandLine command) throws Exception {
    PrintWriter err = command.getErr();
    switch (failure) {
      case FailedException
              | ClusterFailedException
              | ClusterUnreachableException
              | LoadFailedException e ->
          err.println("morty: " + e.getMessage());
      case InterruptedException e -> err.println("morty: interrupted");
      default -> failure.printStackTrace(err);
    }
    err.flush();
    return ExitCode.FAILED;
  }

  /** The version of the build. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {
        "morty " + (version == null ? "(not from a package)" : version),
        "on Java " + Runtime.version()
      };
    }
  }
}
