package org.mortydb.cli;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.mortydb.config.DidYouMean;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Says what is wrong with a command line and how to read on; the whole help would bury the
 * sentence. The exit code is {@link ExitCode#USAGE}.
 */
public final class MisuseHandler implements IParameterExceptionHandler {
  private final Set<String> absent;

  /** A command to which plug-ins add subcommands. */
  @FunctionalInterface
  public interface Extensible {
    /** Says where further subcommands come from, in a sentence without a full stop. */
    String whereOthersAre();
  }

  /**
   * Creates a handler for one command line.
   *
   * @param absent names of commands that only another archive has
   */
  public MisuseHandler(Set<String> absent) {
    this.absent = Set.copyOf(absent);
  }

  /** Makes a command line and its subcommands name the values that are no numbers as such. */
  static void explainNumbers(CommandLine command) {
    register(command, Integer.class, int.class, Integer::valueOf, "a whole number");
    register(command, Long.class, long.class, Long::valueOf, "a whole number");
    register(command, Double.class, double.class, Double::valueOf, "a number");
  }

  private static <T> void register(
      CommandLine command, Class<T> boxed, Class<T> plain, ITypeConverter<T> parse, String what) {
    ITypeConverter<T> converter =
        text -> {
          try {
            return parse.convert(text);
          } catch (NumberFormatException e) {
            throw new TypeConversionException("'" + text + "' is not " + what);
          }
        };
    command.registerConverter(boxed, converter).registerConverter(plain, converter);
  }

  @Override
  public int handleParseException(ParameterException misuse, String[] arguments) {
    CommandLine command = misuse.getCommandLine();
    PrintWriter err = command.getErr();
    if (misuse instanceof UnmatchedArgumentException unmatched) {
      String word = unmatched.getUnmatched().getFirst();
      if (command.getParent() == null && absent.contains(word)) {
        err.println(
            "morty: '"
                + word
                + "' is a command of the archive for experiments (morty-experiments), which is not"
                + " installed here; docs/how-to/deploy.md says how to get it.");
        err.flush();
        return ExitCode.USAGE;
      }
      err.println("morty: " + unmatched(command, word));
    } else if (misuse instanceof MissingParameterException missing
        && missing.getMissing().size() == 1
        && missing.getMissing().getFirst() instanceof PositionalParamSpec words
        && words.arity().min() > 1) {
      err.println(
          "morty: at least %d %s are needed".formatted(words.arity().min(), words.paramLabel()));
    } else {
      err.println("morty: " + misuse.getMessage());
    }
    err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    err.flush();
    return ExitCode.USAGE;
  }

  /** Explains a word that a command does not know. */
  private static String unmatched(CommandLine command, String word) {
    String name = command.getCommandSpec().qualifiedName();
    if (word.startsWith("-")) {
      String option = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
      List<String> options =
          command.getCommandSpec().options().stream()
              .filter(known -> !known.hidden())
              .map(OptionSpec::longestName)
              .toList();
      return name + " has no option '" + option + "'" + suggestion(option, options, "");
    }
    Collection<String> subcommands = command.getSubcommands().keySet();
    if (!subcommands.isEmpty()) {
      String suggestion = suggestion(word, subcommands, name + " ");
      String others =
          command.getCommand() instanceof Extensible extensible
              ? (suggestion.isEmpty() ? ". " : " ") + extensible.whereOthersAre()
              : "";
      return name + " has no command '" + word + "'" + suggestion + others;
    }
    return name + " takes no argument '" + word + "'";
  }

  private static String suggestion(String word, Collection<String> known, String before) {
    String nearest = DidYouMean.nearest(word, known);
    return nearest == null ? "" : ": did you mean '" + before + nearest + "'?";
  }
}
