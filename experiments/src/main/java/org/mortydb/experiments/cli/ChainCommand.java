package org.mortydb.experiments.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.TerminalProgress;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.simulated.Calibration;
import org.mortydb.bench.simulated.SimulatedHosts;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.JsonOption;
import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import org.mortydb.experiments.chain.ChainPicture;
import org.mortydb.experiments.chain.ChainRecord;
import org.mortydb.experiments.chain.ChainStudy;
import org.mortydb.experiments.chain.ChainTable;
import org.mortydb.protocol.model.Key;
import org.mortydb.workloads.load.RunOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty chain}. */
@Command(
    name = "chain",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Explains the throughput of a hot key: where the time between its updates goes.",
    description = {
      "",
      "Runs Retwis in virtual time, in three regions with clients, like 'morty bench retwis"
          + " --simulated'. The updates of a key that read from each other form a chain. Each step"
          + " lasts from one update's final value leaving its client to the next one's. The"
          + " command divides the time of the steps into parts, and compares their number with"
          + " what the delays allow. docs/explanation/chain.md explains the parts. The same options"
          + " yield the same result.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty chain --delays regional                    ids by the clock or slots, as needed",
      "  morty chain --delays regional --region-slots off without slots",
      "  morty chain --delays regional --steps 3          three steps event by event"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the history is serializable",
      "1:the history is not serializable",
      "2:the command line is wrong",
      "3:the run failed, or the key has no chain"
    })
final class ChainCommand implements Callable<Integer> {
  private static final int MOST_STEPS = 10_000;
  private static final int PICTURED_STEPS = 40;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private final RetwisStudyOptions study = new RetwisStudyOptions();

  @Option(
      names = "--region-slots",
      paramLabel = "SLOTS",
      defaultValue = "auto",
      description = {
        "Whether the transactions of a region take ids that lie together: 'auto', 'off', or the"
            + " length of a slot such as '8ms' (default: ${DEFAULT-VALUE})."
      })
  private String regionSlots = "auto";

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "1",
      description = "The number of partitions, on every server (default: ${DEFAULT-VALUE}).")
  private int partitions = 1;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "1",
      description = "The virtual seconds before the measurement (default: ${DEFAULT-VALUE}).")
  private double warmup = 1;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "2",
      description = {
        "The measured virtual seconds (default: ${DEFAULT-VALUE}). All messages of this time are"
            + " kept in memory: 40,000 transactions take a gigabyte."
      })
  private double seconds = 2;

  @Option(
      names = "--calibration",
      paramLabel = "FILE",
      description = {
        "The processor costs measured by 'morty calibrate' (default:"
            + " paper/calibration/two-cores.json of the checkout)."
      })
  private @Nullable Path calibration;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "The key (default: the one with the most committed updates).")
  private @Nullable String key;

  @Option(
      names = "--steps",
      paramLabel = "N",
      defaultValue = "0",
      description = {
        "Also shows N steps from the middle of the measured time, event by event (default:"
            + " ${DEFAULT-VALUE})."
      })
  private int steps;

  @Mixin private final JsonOption json = new JsonOption();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = {
        "Also draws "
            + PICTURED_STEPS
            + " steps, or those of --steps, as chain.svg into the folder DIR."
      })
  private @Nullable Path out;

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    json.check(command);
    check(command);
    ClusterSettings cluster =
        study
            .cluster()
            .withPartitions(partitions)
            .withRegionSlots(regionSlots)
            .simulatedSettings(command);
    SimulatedHosts hosts = study.hosts(command);
    RunOptions run = study.run(warmup, seconds);
    Path costs = calibration;
    String named = key;
    ChainRecord record =
        new ChainStudy(
                study.workload(),
                cluster,
                hosts,
                run,
                costs == null ? study.simulation().calibration() : Calibration.read(costs),
                named == null ? null : Key.of(named),
                steps > 0 || out == null ? steps : PICTURED_STEPS,
                settings(cluster, hosts, run))
            .execute(TerminalProgress.onStandardError());
    PrintWriter printed = command.getOut();
    printed.print(ChainTable.text(record, steps > 0, cluster.regions()));
    json.write(record);
    if (out != null) {
      String svg = ChainPicture.svg(record, cluster.regions());
      printed.println("Picture: " + RetwisStudyOptions.picture(out, "chain.svg", svg));
    }
    printed.flush();
    return Boolean.FALSE.equals(record.serializable()) ? ExitCode.VIOLATION : ExitCode.OK;
  }

  private void check(CommandLine command) {
    study.check(command, seconds, out);
    RetwisStudyOptions.checkWarmup(command, warmup);
    Requirement.within(command, "--steps", steps, NumberRange.of(0, MOST_STEPS));
  }

  private Map<String, @Nullable Object> settings(
      ClusterSettings cluster, SimulatedHosts hosts, RunOptions run) {
    Path costs = calibration;
    Map<String, @Nullable Object> settings =
        study.settings(
            cluster,
            hosts,
            run,
            costs == null ? "two-cores.json" : String.valueOf(costs.getFileName()));
    settings.put("regionSlots", regionSlots);
    return settings;
  }
}
