package org.mortydb.distribution.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.mortydb.cli.Main;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** What the documents tell people to type after {@code bin/morty}. */
final class MortyCommands {
  /** Reading a command line changes nothing in it for the next one. */
  private static final CommandLine COMMANDS = Main.commandLine();

  private MortyCommands() {}

  /** How a command of the documents is tried. */
  sealed interface Trial {
    /** By itself, with further options that make it short. */
    record Alone(String shorter) implements Trial {}

    /** On the cluster that the documents' servers are. */
    record OnCluster(String shorter) implements Trial {}

    /** It is one of that cluster's servers. */
    record Server() implements Trial {}

    /** By another test, or by nobody; with the reason. */
    record Elsewhere(String why) implements Trial {}
  }

  private record Rule(String begin, Trial trial) {}

  private static final Trial FIVE_MINUTES =
      new Trial.Elsewhere(
          "takes minutes; ExperimentRunnerTest and ExperimentCommandTest run parts");

  /** By how the command line begins; the first one that fits. */
  private static final List<Rule> RULES =
      List.of(
          new Rule("--version", new Trial.Alone("")),
          new Rule("servers", new Trial.Elsewhere("ServersCommandTest, on maps that may change")),
          new Rule("server", new Trial.Server()),
          new Rule("status", new Trial.OnCluster("")),
          new Rule("shell", new Trial.OnCluster("")),
          new Rule("upgrade", new Trial.OnCluster("")),
          new Rule(
              "partitions", new Trial.Elsewhere("PartitionsCommandTest, on maps that may change")),
          new Rule(
              "replication", new Trial.Elsewhere("ServersCommandTest, on maps that may change")),
          new Rule("rebalance", new Trial.Elsewhere("ServersCommandTest, on maps that may change")),
          new Rule("verify running", new Trial.OnCluster("--seconds 1")),
          new Rule("verify stored", new Trial.Elsewhere("VerifyCommandTest, on servers that stop")),
          new Rule(
              "backup", new Trial.Elsewhere("BackupCommandTest, on a cluster that forgets fast")),
          new Rule("restore", new Trial.Elsewhere("BackupCommandTest, to an empty cluster")),
          new Rule("recover", new Trial.Elsewhere("RecoverCommandTest, on servers in doubt")),
          new Rule("demo", new Trial.Alone("--duration 1 --keys 120")),
          new Rule("completion", new Trial.Elsewhere("CompletionCommandTest, in a shell")),
          new Rule("certs --ca", new Trial.Elsewhere("CertsCommandTest, after a first run")),
          new Rule("certs", new Trial.Alone("")),
          new Rule("sim", new Trial.Alone("--seeds 3")),
          new Rule("agent", new Trial.Elsewhere("runs until it is stopped; FleetTest")),
          new Rule("bench retwis --agents", new Trial.Elsewhere("needs agents; FleetTest")),
          new Rule("experiment ", FIVE_MINUTES),
          new Rule("experiment", new Trial.Alone("")),
          new Rule("compare", FIVE_MINUTES),
          new Rule("campaign", new Trial.Elsewhere("hours; CampaignCommandTest")),
          new Rule("report", new Trial.Elsewhere("PaperReportTest")),
          new Rule("reproduce --list", new Trial.Alone("")),
          new Rule("reproduce", new Trial.Elsewhere("minutes to hours; ReproduceCommandTest")),
          new Rule(
              "bench transfer --connect",
              new Trial.OnCluster("--accounts 100 --clients 4 --seconds 1 --warmup 0.5")),
          new Rule(
              "bench retwis --zipf 0.9 --simulated",
              new Trial.Alone(
                  "--cores 2 --partitions 2 --keys 1000 --clients 50 --warmup 0.5 --seconds 1")),
          new Rule(
              "bench retwis", new Trial.Alone("--keys 1000 --clients 4 --seconds 1 --warmup 0.5")),
          new Rule(
              "bench tpcc --simulated",
              new Trial.Alone("--scale 0.01 --clients 8 --warmup 0.2 --seconds 0.5")),
          new Rule("bench tickets", new Trial.Alone("--clients 4 --seconds 1 --warmup 0.5")),
          new Rule("check", new Trial.Elsewhere("CheckCommandTest, on recorded histories")),
          new Rule("faults", new Trial.Elsewhere("half a minute; FaultRunTest")),
          new Rule("durability", new Trial.Elsewhere("half an hour; DurabilityCommandTest")),
          new Rule("soak", new Trial.Elsewhere("ten minutes; SoakCommandTest")),
          new Rule("growth", new Trial.Elsewhere("ten minutes; GrowthCommandTest")),
          new Rule("chain", new Trial.Elsewhere("ChainCommandTest")),
          new Rule("windows", new Trial.Elsewhere("WindowsCommandTest")),
          new Rule("trace", new Trial.Elsewhere("needs a Zipkin from a registry; TraceDemoTest")));

  /** How this command is tried; fails if nobody has thought of that. */
  static Trial trial(List<String> words) {
    String line = String.join(" ", words);
    return RULES.stream()
        .filter(rule -> line.equals(rule.begin()) || line.startsWith(rule.begin().strip() + " "))
        .filter(rule -> !rule.begin().endsWith(" ") || line.startsWith(rule.begin()))
        .findFirst()
        .orElseThrow(
            () ->
                new AssertionError(
                    "no test knows how to try 'bin/morty "
                        + line
                        + "': add a rule to "
                        + MortyCommands.class.getSimpleName()
                        + ", with options that make it short"))
        .trial();
  }

  /** Checks a command of a document without running it. */
  static void check(String page, List<String> words) {
    switch (words.getFirst()) {
      case "ycsb" -> {
        // DocumentedCommandsTest of that module runs what is in this page.
        assertThat(page).isEqualTo("docs/reference/ycsb.md");
        assertThat(Documents.root().resolve(words.get(words.indexOf("-P") + 1))).exists();
      }
      case "peers" ->
          assertThat(page)
              .as("PeersCommandTest reads this page")
              .isEqualTo("docs/reference/peers.md");
      case "java" ->
          assertThat(page)
              .as("TutorialTest runs what is in this page")
              .isEqualTo("docs/tutorial.md");
      default -> {
        parse(words);
        trial(words);
      }
    }
  }

  /** Wrong commands, unknown options and values that are none are refused as at the prompt. */
  static void parse(List<String> words) {
    try {
      COMMANDS.parseArgs(words.toArray(String[]::new));
    } catch (ParameterException e) {
      throw new AssertionError("bin/morty " + String.join(" ", words) + ": " + e.getMessage(), e);
    }
  }

  /**
   * As {@link #parse}, of what stands amid text: with words in capitals to be filled in, and
   * perhaps not whole.
   */
  static void parseAmidText(List<String> words) {
    String[] args =
        words.stream()
            .map(word -> word.equals("WORKLOAD") ? "retwis" : word.matches("[A-Z]+") ? "1" : word)
            .toArray(String[]::new);
    try {
      COMMANDS.parseArgs(args);
    } catch (CommandLine.MissingParameterException e) {
      // What is there is known.
    } catch (ParameterException e) {
      throw new AssertionError("bin/morty " + String.join(" ", words) + ": " + e.getMessage(), e);
    }
  }

  /** What a command has printed, and its exit code. */
  record Ran(String command, int code, String out, String err) {
    void requireSuccess() {
      assertThat(code).as("%s%n%s%s", command, out, err).isZero();
    }
  }

  /** Runs a command in this process; where an option is given twice, the last one counts. */
  static Ran run(List<String> words, String more) {
    List<String> args = new ArrayList<>(words);
    args.addAll(ShellWords.split(more));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line =
        Main.commandLine()
            .setOverwrittenOptionsAllowed(true)
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true));
    int code = line.execute(args.toArray(String[]::new));
    return new Ran(String.join(" ", args), code, out.toString(), err.toString());
  }
}
