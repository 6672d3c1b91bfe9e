package org.mortydb.cli;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.shell.Shell;
import org.mortydb.cli.shell.ShellOptions;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty shell}. */
@Command(
    name = "shell",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Reads and writes keys, in transactions of one or several statements.",
    description = {
      "",
      "At a terminal it asks for statements; 'help' lists them, the tabulator completes them,"
          + " arrows bring earlier ones back. From -e, a file or a pipe it runs statements until"
          + " one fails.",
      "",
      "Statements are get, put, delete, add, begin, commit, rollback, timing, help and quit."
          + " Between begin and commit they are one transaction: when others write what it has"
          + " read, all its statements are done again, and what reads differently is told.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty shell --config deploy/example/cluster.conf",
      "  morty shell --config cluster.conf -e 'put greeting hello; get greeting'",
      "  morty shell --config cluster.conf -e 'get account/alice as int64' --output json",
      "  morty shell --config cluster.conf statements.txt",
      "  echo 'add visits 1' | morty shell --config cluster.conf --timing"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all statements were done; at a terminal, always",
      "1:a statement was not done or a transaction not committed; those after it were not tried",
      "2:the command line or the configuration file is wrong",
      "3:the cluster or the script cannot be reached"
    })
final class ShellCommand implements Callable<Integer> {
  private static final long MOST_IDLE_SECONDS = 86_400;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();

  @Option(
      names = {"-e", "--execute"},
      paramLabel = "STATEMENTS",
      description = "Runs these statements, separated by semicolons; may be given several times.")
  private List<String> statements = new ArrayList<>();

  @Parameters(arity = "0..1", paramLabel = "FILE", description = "Runs the statements of a file.")
  private @Nullable Path file;

  @Option(
      names = "--output",
      paramLabel = "FORM",
      defaultValue = "text",
      description = {
        "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}); json is an object a line."
      })
  private OutputFormat output = OutputFormat.TEXT;

  @Option(names = "--timing", description = "Shows what statements cost, from the first one on.")
  private boolean timing;

  @Option(
      names = "--on-change",
      paramLabel = "WHAT",
      description = {
        "When a read changes while its transaction is being committed: 'ask' puts the commit off,"
            + " 'commit' commits with the statements as they were typed (default: ask at a"
            + " terminal, else commit)."
      })
  private @Nullable OnChange onChange;

  @Option(
      names = "--idle",
      paramLabel = "S",
      defaultValue = "60",
      description = {
        "After so many seconds without a statement an open transaction is rolled back, since"
            + " others may wait for what it has written (default: ${DEFAULT-VALUE})."
      })
  private long idle = 60;

  @Option(
      names = "--no-history",
      description = {
        "Keeps no history. Else lines are kept in ~/.local/state/morty/shell-history, or below"
            + " XDG_STATE_HOME; lines that begin with a blank are not."
      })
  private boolean noHistory;

  /** What to do when a read changes amid a commit. */
  enum OnChange {
    ASK,
    COMMIT
  }

  @Override
  public Integer call() {
    CommandLine command = spec.commandLine();
    Requirement.that(
        idle >= 1 && idle <= MOST_IDLE_SECONDS,
        command,
        "--idle must be 1 to " + MOST_IDLE_SECONDS + " seconds, is " + idle);
    Requirement.that(
        file == null || statements.isEmpty(), command, "give either -e or a file, not both");
    Path script = file;
    Requirement.that(
        script == null || Files.isRegularFile(script), command, "there is no file " + script);
    ClusterConfig config = cluster.cluster(command);
    Console console = System.console();
    boolean person =
        script == null && statements.isEmpty() && console != null && console.isTerminal();
    boolean asks = onChange == null ? person : onChange == OnChange.ASK;
    ClientOptions client = ClientOptions.inRegion(cluster.region(config, command));
    try (MortyClient connected = MortyClient.connect(config, client)) {
      ShellOptions options = ShellOptions.of(config, Duration.ofSeconds(idle), asks);
      Shell shell = new Shell(connected, options, output == OutputFormat.JSON, timing);
      if (person) {
        converse(shell, config.name());
        return ExitCode.OK;
      }
      return script(shell, script) ? ExitCode.OK : ExitCode.VIOLATION;
    } catch (IOException e) {
      throw new FailedException("the shell cannot go on: " + e.getMessage(), e);
    }
  }

  private void converse(Shell shell, String name) throws IOException {
    try (Terminal terminal = TerminalBuilder.builder().system(true).build()) {
      shell.converse(terminal, name, noHistory ? null : history());
    }
  }

  private static @Nullable Path history() {
    String state = System.getenv("XDG_STATE_HOME");
    Path base =
        state == null || state.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".local", "state")
            : Path.of(state);
    Path folder = base.resolve("morty");
    try {
      Files.createDirectories(folder);
      return folder.resolve("shell-history");
    } catch (IOException e) {
      return null; // the shell is worth more than its history
    }
  }

  private boolean script(Shell shell, @Nullable Path script) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    if (!statements.isEmpty()) {
      String text = String.join("\n", statements);
      return shell.script(new BufferedReader(new StringReader(text)), out, err);
    }
    if (script != null) {
      try (BufferedReader reader = Files.newBufferedReader(script)) {
        return shell.script(reader, out, err);
      }
    }
    BufferedReader piped =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    return shell.script(piped, out, err);
  }
}
