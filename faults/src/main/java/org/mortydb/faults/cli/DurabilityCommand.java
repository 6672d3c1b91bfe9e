package org.mortydb.faults.cli;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ServerJvm;
import org.mortydb.cli.DataOption;
import org.mortydb.cli.NamedValues;
import org.mortydb.config.NumberRange;
import org.mortydb.faults.durability.DurabilityOptions;
import org.mortydb.faults.durability.DurabilityPart;
import org.mortydb.faults.durability.DurabilityRun;
import org.mortydb.faults.kit.FaultReport;
import org.mortydb.workloads.load.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code morty durability}. */
@Command(
    name = "durability",
    header = "Measures what durability costs, and how long recovery, restart and catch-up take.",
    description = {
      "",
      "Runs Retwis with uniform users on three server processes of this machine. Alternatives are"
          + " measured in turn, round by round. Takes about half an hour."
          + " docs/explanation/durability.md explains what the parts do and how to read them.",
      ""
    },
    exitCodeList = {
      "0:all parts were measured",
      "2:the command line is wrong",
      "3:something could not be run"
    })
final class DurabilityCommand extends FaultCommand {
  private static final NumberRange COUNT = NumberRange.of(1, 100_000);

  @Option(
      names = "--only",
      paramLabel = "PART",
      split = ",",
      converter = PartNames.class,
      completionCandidates = PartNames.class,
      description = "Only these parts: ${COMPLETION-CANDIDATES} (default: all).")
  private List<DurabilityPart> only = List.of();

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "10",
      description =
          "Seconds that each point is measured in each round (default: ${DEFAULT-VALUE}).")
  private double seconds = 10;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "3",
      description = {
        "Seconds of load before each measurement; a new cluster first gets five times as much"
            + " (default: ${DEFAULT-VALUE})."
      })
  private double warmup = 3;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How often each point is measured (default: ${DEFAULT-VALUE}).")
  private int rounds = 3;

  @Option(
      names = "--keys",
      paramLabel = "N",
      description = "Keys in restart, catch-up and pauses (default: ${DEFAULT-VALUE}).")
  private int keys = 1_000_000;

  @Option(
      names = "--load-keys",
      paramLabel = "N",
      description = "Keys in the other parts (default: ${DEFAULT-VALUE}).")
  private int loadKeys = 100_000;

  @Option(
      names = "--deaths",
      paramLabel = "N",
      description = "Coordinators that die, ten at a time (default: ${DEFAULT-VALUE}).")
  private int deaths = 60;

  @Option(
      names = "--restarts",
      paramLabel = "N",
      description =
          "Restarts after SIGKILL, and as many after SIGTERM (default: ${DEFAULT-VALUE}).")
  private int restarts = 3;

  @Option(
      names = "--rate",
      paramLabel = "R",
      defaultValue = "500",
      description = {
        "Transactions that are due per second in pauses and collectors; keep it well below what"
            + " this machine can do with sync (default: ${DEFAULT-VALUE})."
      })
  private double rate = 500;

  @Mixin private DataOption data = new DataOption();

  DurabilityCommand() {
    super("-Xms1536m -Xmx1536m " + ServerJvm.AS_DEPLOYED);
  }

  @Override
  FaultReport run(Progress progress) throws InterruptedException {
    require("--seconds", seconds, SECONDS);
    require("--warmup", warmup, NumberRange.of(0, SECONDS.most()));
    require("--rounds", rounds, COUNT);
    require("--keys", keys, KEYS);
    require("--load-keys", loadKeys, KEYS);
    require("--deaths", deaths, COUNT);
    require("--restarts", restarts, COUNT);
    require("--rate", rate, NumberRange.above(0));
    DurabilityOptions options =
        new DurabilityOptions(
            only.isEmpty() ? EnumSet.allOf(DurabilityPart.class) : EnumSet.copyOf(only),
            seconds,
            warmup,
            rounds,
            keys,
            loadKeys,
            deaths,
            restarts,
            rate,
            data.directory(true, command()),
            serverJvm(),
            seed());
    Map<String, @Nullable Object> settings = settings();
    settings.put("f", 1);
    settings.put("partitions", 1);
    settings.put("workload", "retwis, uniform");
    return new DurabilityRun(options, settings).execute(progress);
  }

  /** Parts by their names. */
  static final class PartNames extends NamedValues<DurabilityPart> {
    PartNames() {
      super(DurabilityPart.values());
    }
  }
}
