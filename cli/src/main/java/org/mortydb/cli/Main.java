package org.mortydb.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.mortydb.server.ServerMain;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

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
      "",
      "And with a live page, to watch and to play with:",
      "",
      "  morty demo",
      ""
    },
    footer = {
      "",
      "'morty COMMAND --help' explains a command. In a checkout there are also 'bin/morty ycsb',",
      "'bin/morty peers' and 'bin/morty java PROGRAM', see docs/reference/cli.md."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all went well, and no check found a violation",
      "1:a check found a violation",
      "2:the command line is wrong",
      "3:something could not be run, or was cut short"
    },
    subcommands = {
      ServerMain.class,
      ShellCommand.class,
      StatusCommand.class,
      VerifyCommand.class,
      BackupCommand.class,
      RestoreCommand.class,
      CertsCommand.class,
      CompletionCommand.class
    })
public final class Main implements Callable<Integer> {
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
  public static CommandLine commandLine() {
    List<CommandPlugin> plugins =
        ServiceLoader.load(CommandPlugin.class).stream().map(ServiceLoader.Provider::get).toList();
    CommandLine morty = new CommandLine(new Main());
    plugins.forEach(plugin -> plugin.addTo(morty));
    return morty
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpWidth(100)
        .setParameterExceptionHandler((misuse, arguments) -> misused(misuse))
        .setExecutionExceptionHandler(new FailureHandler(plugins));
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }

  /** Says what is wrong and where to read on; the whole help would bury the sentence. */
  private static int misused(ParameterException misuse) {
    CommandLine command = misuse.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("morty: " + misuse.getMessage());
    if (!UnmatchedArgumentException.printSuggestions(misuse, err)) {
      String name = command.getCommandSpec().qualifiedName();
      err.println("'" + name + " --help' tells how it is used.");
    }
    err.flush();
    return ExitCode.USAGE;
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
