package org.mortydb.experiments.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.ClusterOptions;
import org.mortydb.bench.cli.SimulationOptions;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.simulated.SimulatedHosts;
import org.mortydb.cli.FailedException;
import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.retwis.Retwis;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options of commands that run Retwis in virtual time, in three regions with clients. */
final class RetwisStudyOptions {
  private static final int MOST_KEYS = 10_000_000;
  private static final int MOST_CLIENTS = 100_000;
  private static final double MOST_SECONDS = 3_600;

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
      names = "--cores",
      paramLabel = "N",
      defaultValue = "8",
      description = {
        "The cores of each server and of each client machine. A server uses at most one core per"
            + " partition (default: ${DEFAULT-VALUE})."
      })
  private int cores = 8;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The seed of all random choices (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  /**
   * Checks the options.
   *
   * @param seconds the measured virtual seconds, an option of the command
   * @param out the folder of its picture, or null
   * @throws CommandLine.ParameterException if an option is out of its range
   */
  void check(CommandLine command, double seconds, @Nullable Path out) {
    Requirement.within(command, "--keys", keys, NumberRange.of(1, MOST_KEYS));
    Requirement.within(command, "--zipf", zipf, NumberRange.of(0, 2));
    Requirement.within(command, "--clients", clients, NumberRange.of(1, MOST_CLIENTS));
    Requirement.within(command, "--seconds", seconds, NumberRange.above(0, MOST_SECONDS));
    Requirement.writableFolder(command, "--out", out);
  }

  /** Checks the virtual seconds before the measurement. */
  static void checkWarmup(CommandLine command, double warmup) {
    Requirement.within(command, "--warmup", warmup, NumberRange.of(0, MOST_SECONDS));
  }

  Retwis workload() {
    return new Retwis(keys, zipf);
  }

  ClusterOptions cluster() {
    return ClusterOptions.withDelays(
        delay != null ? delay : delays != null ? "none" : "30", delays);
  }

  SimulationOptions simulation() {
    return SimulationOptions.withCores(cores);
  }

  SimulatedHosts hosts(CommandLine command) {
    return simulation().hosts(command, cluster().delayFile(command));
  }

  RunOptions run(double warmup, double seconds) {
    return new RunOptions(clients, OptionalDouble.empty(), Arrivals.POISSON, warmup, seconds, seed);
  }

  /** What a record says of the run. */
  Map<String, @Nullable Object> settings(
      ClusterSettings cluster, SimulatedHosts hosts, RunOptions run, String calibration) {
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
    settings.put("calibration", calibration);
    settings.put("warmup", run.warmupSeconds());
    settings.put("seconds", run.seconds());
    settings.put("seed", run.seed());
    return settings;
  }

  /**
   * Writes a picture.
   *
   * @return its file
   * @throws FailedException if it cannot be written
   */
  static Path picture(Path folder, String name, String svg) {
    Path file = folder.resolve(name);
    try {
      Files.createDirectories(folder);
      return Files.writeString(file, svg);
    } catch (IOException e) {
      throw new FailedException("cannot write " + file + ": " + e, e);
    }
  }
}
