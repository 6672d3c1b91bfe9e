package org.mortydb.experiments.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.ClusterOptions;
import org.mortydb.bench.cli.SimulationOptions;
import org.mortydb.bench.cli.TerminalProgress;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.DelayFile;
import org.mortydb.bench.simulated.Calibration;
import org.mortydb.bench.simulated.SimulatedHosts;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.FailedException;
import org.mortydb.cli.JsonOption;
import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import org.mortydb.experiments.chain.ChainPicture;
import org.mortydb.experiments.chain.ChainRecord;
import org.mortydb.experiments.chain.ChainStudy;
import org.mortydb.experiments.chain.ChainTable;
import org.mortydb.protocol.model.Key;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.retwis.Retwis;
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
  private static final int MOST_KEYS = 10_000_000;
  private static final int MOST_CLIENTS = 100_000;
  private static final int MOST_STEPS = 10_000;
  private static final int PICTURED_STEPS = 40;
  private static final double MOST_SECONDS = 3_600;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "100000",
      description = "The number of keys, six per user (default: ${DEFAULT-VALUE}).")
  private int keys = 100_000;

  @Option(
      names = "--zipf",
      paramLabel = "Z",
      defaultValue = "0.9",
      description =
          "The Zipf exponent of the users' popularity; 0 is uniform (default: ${DEFAULT-VALUE}).")
  private double zipf = 0.9;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "48",
      description = {
        "The number of concurrent transactions over all regions (default: ${DEFAULT-VALUE})."
      })
  private int clients = 48;

  @Option(
      names = "--delay",
      paramLabel = "MS",
      description = "The one-way delay between regions in milliseconds (default: 30).")
  private @Nullable String delay;

  @Option(
      names = "--delays",
      paramLabel = "FILE",
      description = {
        "Published delays instead of --delay: a file such as those in paper/delays, or the name of"
            + " one of them: 'regional', 'continental', 'global'."
      })
  private @Nullable String delays;

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
      names = "--cores",
      paramLabel = "N",
      defaultValue = "8",
      description = {
        "The cores of each server and of each client machine. A server uses at most one core per"
            + " partition (default: ${DEFAULT-VALUE})."
      })
  private int cores = 8;

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
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The seed of all random choices (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

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
    ClusterOptions options =
        ClusterOptions.withDelays(delay != null ? delay : delays != null ? "none" : "30", delays)
            .withPartitions(partitions)
            .withRegionSlots(regionSlots);
    ClusterSettings cluster = options.settings(command);
    @Nullable DelayFile file = options.delayFile(command);
    SimulationOptions simulation = SimulationOptions.withCores(cores);
    SimulatedHosts hosts = simulation.hosts(command, file);
    RunOptions run =
        new RunOptions(clients, OptionalDouble.empty(), Arrivals.POISSON, warmup, seconds, seed);
    Path costs = calibration;
    String named = key;
    ChainRecord record =
        new ChainStudy(
                new Retwis(keys, zipf),
                cluster,
                hosts,
                run,
                costs == null ? simulation.calibration() : Calibration.read(costs),
                named == null ? null : Key.of(named),
                steps > 0 || out == null ? steps : PICTURED_STEPS,
                settings(cluster, hosts, run))
            .execute(TerminalProgress.onStandardError());
    PrintWriter printed = command.getOut();
    printed.print(ChainTable.text(record, steps > 0, cluster.regions()));
    json.write(record);
    if (out != null) {
      printed.println("Picture: " + picture(out, record, cluster));
    }
    printed.flush();
    return Boolean.FALSE.equals(record.serializable()) ? ExitCode.VIOLATION : ExitCode.OK;
  }

  private void check(CommandLine command) {
    Requirement.within(command, "--keys", keys, NumberRange.of(1, MOST_KEYS));
    Requirement.within(command, "--zipf", zipf, NumberRange.of(0, 2));
    Requirement.within(command, "--clients", clients, NumberRange.of(1, MOST_CLIENTS));
    Requirement.within(command, "--warmup", warmup, NumberRange.of(0, MOST_SECONDS));
    Requirement.within(command, "--seconds", seconds, NumberRange.above(0, MOST_SECONDS));
    Requirement.within(command, "--steps", steps, NumberRange.of(0, MOST_STEPS));
    Requirement.that(
        out == null || !Files.isRegularFile(out),
        command,
        "--out must be a folder, but is a file: " + out);
  }

  private Map<String, @Nullable Object> settings(
      ClusterSettings cluster, SimulatedHosts hosts, RunOptions run) {
    Path costs = calibration;
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    settings.put("way", "simulated");
    settings.put("workload", "retwis");
    settings.put("keys", keys);
    settings.put("zipf", zipf);
    settings.put("clients", run.sessions());
    settings.put(
        "delayMillis",
        cluster.delayMicros().isPresent() ? cluster.delayMicros().getAsLong() / 1_000.0 : null);
    settings.put("delays", delays);
    settings.put("localMicros", hosts.localMicros());
    settings.put("regions", cluster.regionCount());
    settings.put("regionSlots", regionSlots);
    settings.put("partitions", cluster.partitions());
    settings.put("cores", hosts.cores());
    settings.put(
        "calibration", costs == null ? "two-cores.json" : String.valueOf(costs.getFileName()));
    settings.put("warmup", run.warmupSeconds());
    settings.put("seconds", run.seconds());
    settings.put("seed", run.seed());
    return settings;
  }

  private static Path picture(Path folder, ChainRecord record, ClusterSettings cluster) {
    Path file = folder.resolve("chain.svg");
    try {
      Files.createDirectories(folder);
      return Files.writeString(file, ChainPicture.svg(record, cluster.regions()));
    } catch (IOException e) {
      throw new FailedException("cannot write " + file + ": " + e, e);
    }
  }
}
