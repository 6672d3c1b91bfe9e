package org.mortydb.cli;

import java.io.PrintStream;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.IntSupplier;
import org.mortydb.server.ServerMain;
import org.mortydb.transport.HostNames;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
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
      "The following commands need a checkout, or the archive for experiments. A social network on"
          + " a cluster of three regions on this machine, measured and checked for serializability"
          + " in about a minute:",
      "",
      "  morty bench retwis",
      "",
      "The same with real server processes, an uneven load, and 30 ms between the regions:",
      "",
      "  morty bench retwis --processes --zipf 0.9 --delay 30",
      "",
      "A cluster under load with a live page:",
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
      RecoverCommand.class,
      PartitionsCommand.class,
      ServersCommand.class,
      ReplicationCommand.class,
      RebalanceCommand.class,
      UpgradeCommand.class,
      CertsCommand.class,
      CompletionCommand.class
    })
public final class Main implements Callable<Integer> {
  /** The commands that plug-ins add, which the archive for hosts does not have. */
  private static final Set<String> IN_PLUGINS =
      Set.of(
          "agent",
          "bench",
          "calibrate",
          "campaign",
          "chain",
          "check",
          "compare",
          "demo",
          "durability",
          "experiment",
          "faults",
          "growth",
          "report",
          "reproduce",
          "sim",
          "soak",
          "trace",
          "windows");

  /** The commands that usually end by an interrupt. */
  private static final Set<String> UNTIL_INTERRUPTED =
      Set.of("agent", "demo", "server", "shell", "trace");

  @Spec private CommandSpec spec = CommandSpec.create();

  /** Runs the command line and exits. */
  public static void main(String[] args) {
    if (args.length > 0 && args[0].equals("server")) {
      ServerMain.useServerLog();
    }
    HostNames.neverKept();
    Thread hook = new Thread(() -> sayInterrupted(args), "morty-interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
    int code = execute(args);
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook has said so.
    }
    System.exit(code);
  }

  private static void sayInterrupted(String[] args) {
    if (args.length > 0 && !UNTIL_INTERRUPTED.contains(args[0])) {
      System.err.println("interrupted: 'morty " + args[0] + "' has not run to its end");
    }
  }

  /** Runs a command line; returns the exit code. */
  public static int execute(String... args) {
    return withoutErrors(() -> commandLine().execute(args), System.err, plugIns());
  }

  /**
   * Runs a command that may end with an error, such as that of a plug-in. The JVM would call it
   * {@link ExitCode#VIOLATION}, and would not end while a cluster runs.
   */
  static int withoutErrors(IntSupplier command, PrintStream err, String plugIns) {
    try {
      return command.getAsInt();
    } catch (ServiceConfigurationError e) {
      String reason = "";
      for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
        reason = " (" + cause + ")";
      }
      err.println(
          "morty: a plug-in cannot be loaded: %s%s. Correct it, or remove its jar from %s"
              .formatted(e.getMessage(), reason, plugIns));
    } catch (Error e) {
      e.printStackTrace(err);
    }
    return ExitCode.FAILED;
  }

  private static String plugIns() {
    String other = System.getenv("MORTY_PLUGINS");
    return "'%s'%s"
        .formatted(
            Checkout.start().resolve("plugins"),
            other == null || other.isEmpty() ? "" : " or '" + other + "' (MORTY_PLUGINS)");
  }

  /** The command line, for tests and documentation. */
  public static CommandLine commandLine() {
    return commandLine(
        ServiceLoader.load(CommandPlugin.class).stream().map(ServiceLoader.Provider::get).toList());
  }

  /** The command line with the commands of some plug-ins. */
  static CommandLine commandLine(List<CommandPlugin> plugins) {
    CommandLine morty = new CommandLine(new Main());
    plugins.forEach(plugin -> plugin.addTo(morty));
    showHelpOptionsLast(morty);
    MisuseHandler.explainNumbers(morty);
    return morty
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpWidth(100)
        .setExecutionStrategy(Main::run)
        .setParameterExceptionHandler(new MisuseHandler(IN_PLUGINS))
        .setExecutionExceptionHandler(new FailureHandler(plugins));
  }

  /** Options of several commands follow a command's own; --help and --version follow all. */
  private static void showHelpOptionsLast(CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    for (OptionSpec option : List.copyOf(spec.options())) {
      if (option.usageHelp() || option.versionHelp()) {
        spec.remove(option);
        spec.addOption(OptionSpec.builder(option).order(2).build());
      }
    }
    command.getSubcommands().values().forEach(Main::showHelpOptionsLast);
  }

  /** The names of the commands that the archive for hosts does not have. */
  public static Set<String> pluginCommands() {
    return IN_PLUGINS;
  }

  /** Runs the last command of the line; refuses a line with a wrong word, even with --help. */
  private static int run(ParseResult line) {
    for (CommandLine command : line.asCommandLineList()) {
      if (!command.getUnmatchedArguments().isEmpty()) {
        throw new UnmatchedArgumentException(command, command.getUnmatchedArguments());
      }
    }
    return new CommandLine.RunLast().execute(line);
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
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
