package org.mortydb.faults.cli;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.TerminalProgress;
import org.mortydb.cli.DataDirectory;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.JsonFile;
import org.mortydb.cli.Requirement;
import org.mortydb.faults.durability.Durability;
import org.mortydb.faults.durability.DurabilityOptions;
import org.mortydb.faults.durability.DurabilityReport;
import org.mortydb.faults.durability.DurabilityTable;
import org.mortydb.faults.durability.Part;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty durability}. */
@Command(
    name = "durability",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Measures what durability costs, and how long recovery, restart and catch-up take.",
    description = {
      "",
      "On three server processes of this machine, under Retwis whose users are all alike. What is"
          + " compared is measured in turn, round by round. Takes about half an hour;"
          + " docs/explanation/durability.md tells what the parts do and how to read them.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:it was measured",
      "2:the command line is wrong",
      "3:something could not be run"
    })
final class DurabilityCommand implements Callable<Integer> {
  private static final int MOST_KEYS = 300_000_000;
  private static final int FEWEST_KEYS = 12;
  private static final int MOST = 100_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--only",
      paramLabel = "PART",
      split = ",",
      description = {
        "Only these parts: modes, death, restart, catch-up, pauses, collectors, tls (default: all)."
      })
  private List<String> only = List.of();

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "10",
      description =
          "Seconds that are measured, of each point in each round (default:"
              + " ${DEFAULT-VALUE}).")
  private double seconds = 10;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "3",
      description = {
        "Seconds that run before each of them; a new cluster gets five times as much first"
            + " (default: ${DEFAULT-VALUE})."
      })
  private double warmup = 3;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "How often each point is measured (default: ${DEFAULT-VALUE}).")
  private int rounds = 3;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Keys of restart, catch-up and pauses (default: ${DEFAULT-VALUE}).")
  private int keys = 1_000_000;

  @Option(
      names = "--load-keys",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Keys of the other parts (default: ${DEFAULT-VALUE}).")
  private int loadKeys = 100_000;

  @Option(
      names = "--deaths",
      paramLabel = "N",
      defaultValue = "60",
      description = "Coordinators that die, ten at a time (default: ${DEFAULT-VALUE}).")
  private int deaths = 60;

  @Option(
      names = "--restarts",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "Restarts after SIGKILL, and as many after SIGTERM (default:" + " ${DEFAULT-VALUE}).")
  private int restarts = 3;

  @Option(
      names = "--rate",
      paramLabel = "R",
      defaultValue = "500",
      description = {
        "Transactions that are due per second in pauses and collectors, well below what this"
            + " machine can do with sync (default: ${DEFAULT-VALUE})."
      })
  private double rate = 500;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = {
        "The directory on whose disk servers store, in new folders that are deleted (default: that"
            + " for temporary files)."
      })
  private @Nullable Path data;

  @Option(
      names = "--server-jvm",
      paramLabel = "OPTIONS",
      defaultValue =
          "-Xms1536m -Xmx1536m -XX:+UseSerialGC -XX:+UseCompactObjectHeaders"
              + " -XX:+IgnoreUnrecognizedVMOptions -XX:+UseTransparentHugePages"
              + " --enable-native-access=ALL-UNNAMED",
      description = {
        "Options of the servers' JVMs, in one argument; up to nine servers run at a time (default:"
            + " ${DEFAULT-VALUE})."
      })
  private String serverJvm = "";

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Decides what is drawn; timing is not part of it (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also writes the result to FILE, as JSON.")
  private @Nullable Path json;

  @Override
  public Integer call() throws InterruptedException {
    Durability durability = new Durability(options(), settings());
    DurabilityReport report = durability.execute(TerminalProgress.onStandardError());
    spec.commandLine().getOut().print(DurabilityTable.of(report));
    spec.commandLine().getOut().flush();
    JsonFile.write(report, json);
    return ExitCode.OK;
  }

  private DurabilityOptions options() {
    CommandLine command = spec.commandLine();
    Requirement.that(
        seconds > 0 && seconds <= MOST,
        command,
        "--seconds must be greater than 0 and at most " + MOST + ", is " + seconds);
    Requirement.that(
        warmup >= 0 && warmup <= MOST, command, "--warmup must be 0 to " + MOST + ", is " + warmup);
    count("--rounds", rounds, 1, MOST);
    count("--keys", keys, FEWEST_KEYS, MOST_KEYS);
    count("--load-keys", loadKeys, FEWEST_KEYS, MOST_KEYS);
    count("--deaths", deaths, 1, MOST);
    count("--restarts", restarts, 1, MOST);
    Requirement.that(rate > 0, command, "--rate must be greater than 0, is " + rate);
    JsonFile.check(json, command);
    Path disk = DataDirectory.of(data, true, command);
    return new DurabilityOptions(
        parts(), seconds, warmup, rounds, keys, loadKeys, deaths, restarts, rate, disk, serverJvm,
        seed);
  }

  private void count(String option, int value, int least, int most) {
    Requirement.that(
        value >= least && value <= most,
        spec.commandLine(),
        option + " must be " + least + " to " + most + ", is " + value);
  }

  private Set<Part> parts() {
    Set<Part> parts = EnumSet.noneOf(Part.class);
    for (String name : only) {
      Part found = null;
      for (Part part : Part.values()) {
        found = part.label().equals(name) ? part : found;
      }
      Requirement.that(
          found != null,
          spec.commandLine(),
          "--only names no part: '"
              + name
              + "'; there are "
              + String.join(", ", Arrays.stream(Part.values()).map(Part::label).toList()));
      if (found != null) {
        parts.add(found);
      }
    }
    return parts.isEmpty() ? EnumSet.allOf(Part.class) : parts;
  }

  private Map<String, @Nullable Object> settings() {
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    settings.put("only", only);
    settings.put("seconds", seconds);
    settings.put("warmup", warmup);
    settings.put("rounds", rounds);
    settings.put("keys", keys);
    settings.put("loadKeys", loadKeys);
    settings.put("deaths", deaths);
    settings.put("restarts", restarts);
    settings.put("rate", rate);
    settings.put("data", data == null ? null : data.toString());
    settings.put("serverJvm", serverJvm);
    settings.put("seed", seed);
    settings.put("f", 1);
    settings.put("partitions", 1);
    settings.put("workload", "retwis, uniform");
    return settings;
  }
}
