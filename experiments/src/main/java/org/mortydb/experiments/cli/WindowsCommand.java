package org.mortydb.experiments.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.ClusterOptions;
import org.mortydb.bench.cli.SimulationOptions;
import org.mortydb.bench.cli.SystemNames;
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
import org.mortydb.experiments.windows.NominalCosts;
import org.mortydb.experiments.windows.Timelines;
import org.mortydb.experiments.windows.WindowsRecord;
import org.mortydb.experiments.windows.WindowsRecord.SystemWindows;
import org.mortydb.experiments.windows.WindowsStudy;
import org.mortydb.experiments.windows.WindowsTable;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.retwis.Retwis;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty windows}. */
@Command(
    name = "windows",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Measures serialization and validity windows, and draws those of the hottest key.",
    description = {
      "",
      "Runs Retwis in virtual time on each system, in three regions with clients. A transaction's"
          + " windows on a key begin with its read. The serialization window ends when its write"
          + " is visible to others, the validity window when its outcome is known."
          + " docs/explanation/windows.md explains their meaning. The same options yield the same"
          + " result.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty windows                                    Morty and TAPIR, 30 ms between regions",
      "  morty windows --delays continental --zipf 1.1    published delays, a hotter key",
      "  morty windows --systems morty,mvtso,spanner      other systems"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all histories are serializable, and no serialization windows overlap",
      "1:a history is not serializable, or serialization windows overlap",
      "2:the command line is wrong",
      "3:the run failed"
    })
final class WindowsCommand implements Callable<Integer> {
  private static final int MOST_KEYS = 10_000_000;
  private static final int MOST_CLIENTS = 100_000;
  private static final double MOST_SECONDS = 3_600;
  private static final double WARMUP_SECONDS = 2;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--systems",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "morty,tapir",
      description = "The systems, in the order of the table (default: ${DEFAULT-VALUE}).")
  private List<String> systems = List.of("morty", "tapir");

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
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "20",
      description = "The measured virtual seconds (default: ${DEFAULT-VALUE}).")
  private double seconds = 20;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The seed of all random choices (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = "--cores",
      paramLabel = "N",
      defaultValue = "8",
      description = {
        "The cores of each server and of each client machine (default: ${DEFAULT-VALUE})."
      })
  private int cores = 8;

  @Option(
      names = "--calibration",
      paramLabel = "FILE",
      description = {
        "The processor costs measured by 'morty calibrate' (default: round numbers, equal for all"
            + " systems, so that the result is equal on every machine)."
      })
  private @Nullable Path calibration;

  @Mixin private final JsonOption json = new JsonOption();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "The folder of the picture windows.svg (default: results/windows).")
  private Path out = Path.of("results", "windows");

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    json.check(command);
    List<TransactionSystem> named = check(command);
    ClusterOptions options =
        ClusterOptions.withDelays(delay != null ? delay : delays != null ? "none" : "30", delays);
    ClusterSettings cluster = options.settings(command);
    @Nullable DelayFile file = options.delayFile(command);
    SimulatedHosts hosts = SimulationOptions.withCores(cores).hosts(command, file);
    RunOptions run =
        new RunOptions(
            clients, OptionalDouble.empty(), Arrivals.POISSON, WARMUP_SECONDS, seconds, seed);
    Path costs = calibration;
    WindowsRecord record =
        new WindowsStudy(
                ignored -> new Retwis(keys, zipf),
                cluster,
                hosts,
                run,
                costs == null ? NominalCosts.of("retwis") : Calibration.read(costs),
                settings(cluster, hosts, run))
            .execute(named, TerminalProgress.onStandardError());
    PrintWriter printed = command.getOut();
    printed.print(WindowsTable.text(record));
    json.write(record);
    printed.println("Picture: " + picture(record));
    printed.flush();
    return exitCode(record);
  }

  private List<TransactionSystem> check(CommandLine command) {
    Requirement.within(command, "--keys", keys, NumberRange.of(1, MOST_KEYS));
    Requirement.within(command, "--zipf", zipf, NumberRange.of(0, 2));
    Requirement.within(command, "--clients", clients, NumberRange.of(1, MOST_CLIENTS));
    Requirement.within(command, "--seconds", seconds, NumberRange.above(0, MOST_SECONDS));
    Requirement.that(
        !Files.isRegularFile(out), command, "--out must be a folder, but is a file: " + out);
    return SystemNames.named(command, "--systems", systems);
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
    settings.put("partitions", cluster.partitions());
    settings.put("cores", hosts.cores());
    settings.put("calibration", costs == null ? "nominal" : String.valueOf(costs.getFileName()));
    settings.put("warmup", run.warmupSeconds());
    settings.put("seconds", run.seconds());
    settings.put("seed", run.seed());
    return settings;
  }

  private Path picture(WindowsRecord record) {
    Path file = out.resolve("windows.svg");
    try {
      Files.createDirectories(out);
      return Files.writeString(file, Timelines.svg(record));
    } catch (IOException e) {
      throw new FailedException("cannot write " + file + ": " + e, e);
    }
  }

  private static int exitCode(WindowsRecord record) {
    for (SystemWindows system : record.systems()) {
      if (Boolean.FALSE.equals(system.serializable()) || system.overlapping() > 0) {
        return ExitCode.VIOLATION;
      }
    }
    return ExitCode.OK;
  }
}
