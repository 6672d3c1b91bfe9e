package org.mortydb.cli;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
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
import org.mortydb.config.NumberRange;
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
    header = "Reads and writes keys, in transactions of one or more statements.",
    description = {
      "",
      "At a terminal the shell asks for statements. 'help' lists them, the Tab key completes"
          + " them, and arrow keys recall earlier ones. Statements from -e, a file or a pipe run"
          + " until one fails.",
      "",
      "The statements are get, put, delete, add, merge, scan, begin, commit, rollback, timing, help"
          + " and quit. The statements between begin and commit are one transaction. If another"
          + " transaction changes what they read, the shell runs them again and shows each read"
          + " that differs.",
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
      "0:all statements succeeded; at a terminal, always",
      "1:a statement failed or a transaction did not commit; later statements did not run",
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

  @Mixin private OutputOption output = new OutputOption();

  @Option(names = "--timing", description = "Shows the cost of each statement.")
  private boolean timing;

  @Option(
      names = "--on-change",
      paramLabel = "WHAT",
      description = {
        "If a read changes during the commit: 'ask' shows the change and does not commit yet,"
            + " 'commit' commits with the statements as typed (default: ask at a terminal, else"
            + " commit)."
      })
  private @Nullable OnChange onChange;

  @Option(
      names = "--idle",
      paramLabel = "S",
      defaultValue = "60",
      description = {
        "Rolls an open transaction back after this many seconds without a statement, because"
            + " other transactions may wait for it (default: ${DEFAULT-VALUE})."
      })
  private long idle = 60;

  @Option(
      names = "--no-history",
      description = {
        "Keeps no history. By default the shell keeps lines in"
            + " ~/.local/state/morty/shell-history, or below XDG_STATE_HOME, except lines that"
            + " begin with a space."
      })
  private boolean noHistory;

  /** What to do if a read changes during a commit. */
  enum OnChange {
    ASK,
    COMMIT
  }

  @Override
  public Integer call() {
    CommandLine command = spec.commandLine();
    Requirement.within(command, "--idle", idle, NumberRange.of(1, MOST_IDLE_SECONDS));
    Requirement.that(
        file == null || statements.isEmpty(), command, "give either -e or a file, not both");
    Path script = file;
    Requirement.that(
        script == null || Files.isRegularFile(script), command, "there is no file " + script);
    if (script != null) {
      requireText(script);
    }
    ClusterConfig config = cluster.cluster(command);
    Console console = System.console();
    boolean person =
        script == null && statements.isEmpty() && console != null && console.isTerminal();
    boolean asks = onChange == null ? person : onChange == OnChange.ASK;
    ClientOptions client = ClientOptions.inRegion(cluster.region(config, command));
    try (MortyClient connected = MortyClient.connect(config, client)) {
      ShellOptions options = ShellOptions.of(config, Duration.ofSeconds(idle), asks);
      Shell shell = new Shell(connected, options, output.isJson(), timing);
      if (person) {
        converse(shell, config.name());
        return ExitCode.OK;
      }
      return script(shell, script) ? ExitCode.OK : ExitCode.VIOLATION;
    } catch (CharacterCodingException e) {
      throw new FailedException(
          "the shell cannot go on: what follows is not text in UTF-8; the statements before it were"
              + " run as shown",
          e);
    } catch (IOException e) {
      throw new FailedException("the shell cannot go on: " + e.getMessage(), e);
    }
  }

  /** Reads the whole script before anything of it runs. */
  private static void requireText(Path script) {
    try (BufferedReader reader = Files.newBufferedReader(script)) {
      var _ = reader.skip(Long.MAX_VALUE);
    } catch (CharacterCodingException e) {
      throw new FailedException(
          "the script " + script + " is not text in UTF-8: save it in UTF-8; nothing was run", e);
    } catch (IOException e) {
      throw new FailedException("the script cannot be read: " + e, e);
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
    // Unlike a charset, a decoder refuses what it cannot read, and does not replace it.
    BufferedReader piped =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8.newDecoder()));
    return shell.script(piped, out, err);
  }
}
