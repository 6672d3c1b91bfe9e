package org.mortydb.spec;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What TLC said at its end.
 *
 * @param exit the process's exit code: 0 when no error was found, 12 when an invariant was
 *     violated, 13 when a temporal property was
 * @param completed whether TLC says that the search is complete and has found no error
 * @param violated the invariants violated; all temporal properties of the configuration, if one of
 *     them is violated, because TLC does not say which
 * @param stuck the last state, if it has no successor; null otherwise. Only replays look for that
 * @param errors whatever else TLC calls an error, such as a parse error
 * @param generated states generated, -1 when TLC did not get to count them
 * @param distinct distinct states found
 * @param left states whose successors were not looked at
 * @param depth the length of the longest shortest path to a state
 * @param actions for each action of the specification, how often it was taken
 * @param millis how long it took, with the start of the process
 * @param output where the whole output is
 */
record TlcReport(
    Model model,
    int exit,
    boolean completed,
    List<String> violated,
    @Nullable String stuck,
    List<String> errors,
    long generated,
    long distinct,
    long left,
    long depth,
    TreeMap<String, Long> actions,
    long millis,
    Path output) {

  /** The actions that were never taken. */
  TreeSet<String> untaken() {
    TreeSet<String> untaken = new TreeSet<>();
    actions.forEach(
        (action, times) -> {
          if (times == 0) {
            untaken.add(action);
          }
        });
    return untaken;
  }

  /** Reads the output of {@code -tool}: messages by number, between two marks each. */
  static final class Parser {
    private static final Pattern START = Pattern.compile("@!@!@STARTMSG (\\d+):(\\d+) @!@!@");
    private static final Pattern END = Pattern.compile("@!@!@ENDMSG \\d+ @!@!@");
    private static final Pattern STATES =
        Pattern.compile(
            "(\\d+) states generated, (\\d+) distinct states found, (\\d+) states left on queue");
    private static final Pattern GENERATED = Pattern.compile("(\\d+) states generated");
    private static final Pattern VIOLATED = Pattern.compile("Invariant (\\w+) is violated");
    private static final Pattern DEPTH = Pattern.compile("search is (\\d+)");
    private static final Pattern ACTION = Pattern.compile("<(\\w+) line .*>: \\d+:(\\d+)");

    // Numbers and classes of tlc2.output.EC and MP; they are part of what tools may rely on.
    private static final int INVARIANT_VIOLATED_INITIAL = 2107;
    private static final int INVARIANT_VIOLATED_BEHAVIOUR = 2110;
    private static final int DEADLOCK = 2114;
    private static final int BEHAVIOUR_UP_TO_THIS_POINT = 2121;
    private static final int TEMPORAL_PROPERTIES_VIOLATED = 2116;
    private static final int COUNTEREXAMPLE = 2264;
    private static final int STATE = 2217;
    private static final int SUCCESS = 2193;
    private static final int SEARCH_DEPTH = 2194;
    private static final int STATISTICS = 2199;
    private static final int SIMULATED = 2209;
    private static final int PROGRESS = 2200;
    private static final int COVERAGE_OF_ACTION = 2772;
    private static final int CLASS_ERROR = 1;

    private final Consumer<String> progress;
    private final StringBuilder message = new StringBuilder();
    private int number = -1;
    private int kind;

    private boolean completed;
    private boolean deadlock;
    private boolean temporal;
    private String state = "";
    private final ArrayList<String> violated = new ArrayList<>();
    private final ArrayList<String> errors = new ArrayList<>();
    private long generated = -1;
    private long distinct = -1;
    private long left = -1;
    private long depth = -1;
    private final TreeMap<String, Long> actions = new TreeMap<>();

    Parser(Consumer<String> progress) {
      this.progress = progress;
    }

    void line(String line) {
      Matcher start = START.matcher(line);
      if (start.matches()) {
        number = Integer.parseInt(start.group(1));
        kind = Integer.parseInt(start.group(2));
        message.setLength(0);
      } else if (END.matcher(line).matches()) {
        message(message.toString().strip());
        number = -1;
      } else if (number >= 0) {
        message.append(line).append('\n');
      }
    }

    private void message(String text) {
      switch (number) {
        case INVARIANT_VIOLATED_INITIAL, INVARIANT_VIOLATED_BEHAVIOUR ->
            violated.add(find(VIOLATED, text).group(1));
        case TEMPORAL_PROPERTIES_VIOLATED -> temporal = true;
        case DEADLOCK -> deadlock = true;
        case STATE -> state = text;
        case BEHAVIOUR_UP_TO_THIS_POINT, COUNTEREXAMPLE -> {}
        case SUCCESS -> completed = true;
        case SEARCH_DEPTH -> depth = Long.parseLong(find(DEPTH, text).group(1));
        case STATISTICS -> {
          Matcher states = find(STATES, text);
          generated = Long.parseLong(states.group(1));
          distinct = Long.parseLong(states.group(2));
          left = Long.parseLong(states.group(3));
        }
        case SIMULATED -> generated = Long.parseLong(find(GENERATED, text).group(1));
        case PROGRESS -> progress.accept(text);
        case COVERAGE_OF_ACTION -> {
          Matcher action = find(ACTION, text);
          actions.merge(action.group(1), Long.parseLong(action.group(2)), Long::sum);
        }
        default -> {
          if (kind == CLASS_ERROR) {
            errors.add(text);
          }
        }
      }
    }

    private static Matcher find(Pattern pattern, String text) {
      Matcher matcher = pattern.matcher(text);
      if (!matcher.find()) {
        throw new IllegalStateException("TLC words it differently now: " + text);
      }
      return matcher;
    }

    TlcReport report(Model model, int exit, long millis, Path output) {
      if (temporal) {
        violated.addAll(model.properties());
      }
      return new TlcReport(
          model,
          exit,
          completed,
          violated,
          deadlock ? state : null,
          errors,
          generated,
          distinct,
          left,
          depth,
          actions,
          millis,
          output);
    }
  }
}
