package org.mortydb.cli.shell;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.ParsedLine;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;
import org.jline.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.shell.ShellSession.Progress;
import org.mortydb.client.Client;

/** Statements in, results out: from a script, or from a person at a terminal. */
public final class Shell {
  private final Client client;
  private final ShellOptions options;
  private final boolean json;
  private final boolean timing;

  /**
   * A shell.
   *
   * @param json whether results are JSON, one object per line
   * @param timing whether text output shows the cost of statements at first
   */
  public Shell(Client client, ShellOptions options, boolean json, boolean timing) {
    this.client = client;
    this.options = options;
    this.json = json;
    this.timing = timing;
  }

  private ShellOutput output(
      java.util.function.Consumer<String> out, java.util.function.Consumer<String> err) {
    return json ? new JsonOutput(out) : new TextOutput(out, err, timing);
  }

  // ---- scripts ------------------------------------------------------------------------------

  /**
   * Runs a script up to the first statement that fails. A transaction that is still open at the end
   * is rolled back, and counts as failed.
   *
   * @return whether all statements succeeded
   * @throws IOException when the script cannot be read
   */
  public boolean script(BufferedReader script, PrintWriter out, PrintWriter err)
      throws IOException {
    ShellOutput output =
        output(
            line -> {
              out.println(line);
              out.flush();
            },
            line -> {
              err.println(line);
              err.flush();
            });
    try (ShellSession session = new ShellSession(client, output, options)) {
      // Per line, so that the source of a pipe sees each result before the next statement.
      for (String line = script.readLine(); line != null; line = script.readLine()) {
        Progress progress = session.run(line);
        if (progress == Progress.FAILED) {
          return false;
        }
        if (progress == Progress.QUIT) {
          break;
        }
      }
      if (session.isOpen()) {
        output.failed(
            ShellOutput.Failure.ABORTED, "the script ends within a transaction: commit is missing");
        return false;
      }
      return true;
    }
  }

  // ---- people -------------------------------------------------------------------------------

  /**
   * Reads and runs statements of a person until the person quits.
   *
   * @param name the text of the prompt
   * @param history the file of the history; null for none
   */
  public void converse(Terminal terminal, String name, @Nullable Path history) {
    LineReaderBuilder builder =
        LineReaderBuilder.builder()
            .appName("morty")
            .terminal(terminal)
            .parser(parser())
            .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
            .option(LineReader.Option.HISTORY_IGNORE_SPACE, true);
    if (history != null) {
      builder.variable(LineReader.HISTORY_FILE, history);
    }
    Words words = new Words();
    LineReader reader = builder.completer(words).build();
    ShellOutput output = output(reader::printAbove, reader::printAbove);
    try (ShellSession session = new ShellSession(client, output, options)) {
      words.session = session;
      while (converse(reader, session, name)) {}
    }
  }

  /** Runs one line; returns whether the conversation goes on. */
  private static boolean converse(LineReader reader, ShellSession session, String name) {
    try {
      return session.run(reader.readLine(name + (session.isOpen() ? "*> " : "> ")))
          != Progress.QUIT;
    } catch (UserInterruptException e) {
      return true; // Ctrl-C drops the line
    } catch (EndOfFileException e) {
      return false; // Ctrl-D
    }
  }

  /** Quoted text may span several lines. */
  private static DefaultParser parser() {
    DefaultParser parser = new DefaultParser();
    parser.setEofOnUnclosedQuote(true);
    parser.setEscapeChars(null);
    return parser;
  }

  /** Completes the words of statements, and keys of earlier statements. */
  private static final class Words implements Completer {
    private static final List<String> LEVELS =
        List.of("strict", "serializable", "snapshot", "bounded:2s", "local");

    private @Nullable ShellSession session;

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
      if (line.wordIndex() == 0) {
        StatementParser.VERBS.forEach(verb -> candidates.add(new Candidate(verb)));
        return;
      }
      String before = line.words().get(line.wordIndex() - 1);
      if (before.equals("as")) {
        for (String type : ValueType.names().split(", ")) {
          candidates.add(new Candidate(type));
        }
      } else if (before.equals("begin")) {
        candidates.add(new Candidate("read"));
      } else if (line.words().getFirst().equals("begin")) {
        LEVELS.forEach(level -> candidates.add(new Candidate(level)));
      } else if (line.words().getFirst().equals("timing")) {
        candidates.add(new Candidate("on"));
        candidates.add(new Candidate("off"));
      } else if (session != null) {
        session.keys().forEach(key -> candidates.add(new Candidate(key)));
      }
    }
  }
}
