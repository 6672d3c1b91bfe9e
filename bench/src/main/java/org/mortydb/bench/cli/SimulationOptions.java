package org.mortydb.bench.cli;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.DelayFile;
import org.mortydb.bench.simulated.Calibration;
import org.mortydb.bench.simulated.SimulatedHosts;
import org.mortydb.cli.Checkout;
import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that say whether and how a run is simulated. */
public final class SimulationOptions {
  private static final int DEFAULT_CORES = 8;
  private static final int MOST_CORES = 1_024;
  private static final String DEFAULT_CALIBRATION = "paper/calibration/two-cores.json";

  @Option(
      names = "--simulated",
      description = {
        "Runs the same servers and clients in virtual time, with processor costs that 'morty"
            + " calibrate' has measured (default: for real)."
      })
  boolean simulated;

  @Option(
      names = "--cores",
      paramLabel = "N",
      description = {
        "With --simulated: processor cores of each server, and of each machine with clients. A"
            + " server uses as many as it has partitions (default: "
            + DEFAULT_CORES
            + "; with --one-machine: those of this machine)."
      })
  private @Nullable Integer cores;

  @Option(
      names = "--client-cores",
      paramLabel = "N",
      description =
          "With --simulated: other cores of each machine with clients (default: --cores).")
  @Nullable Integer clientCores;

  @Option(
      names = "--client-hosts",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "With --simulated: machines with clients in each region that has any (default:"
            + " ${DEFAULT-VALUE})."
      })
  int clientHosts = 1;

  @Option(
      names = "--one-machine",
      description = {
        "With --simulated: all servers and clients share one machine with --cores, as they do in a"
            + " real run."
      })
  boolean oneMachine;

  @Option(
      names = "--calibration",
      paramLabel = "FILE",
      description = {
        "With --simulated: what things cost (default: " + DEFAULT_CALIBRATION + " of the checkout)."
      })
  @Nullable Path calibration;

  /** Options as if {@code --cores} had been typed; null for not. */
  public static SimulationOptions withCores(@Nullable Integer cores) {
    SimulationOptions options = new SimulationOptions();
    options.cores = cores;
    return options;
  }

  /**
   * The machines.
   *
   * @param delays null when they are not from a file
   * @throws ParameterException when an option is out of its range
   */
  public SimulatedHosts hosts(CommandLine command, @Nullable DelayFile delays) {
    int own =
        cores != null
            ? cores
            : oneMachine ? Runtime.getRuntime().availableProcessors() : DEFAULT_CORES;
    int clients = clientCores != null ? clientCores : own;
    Requirement.that(
        own >= 1 && own <= MOST_CORES && clients >= 1 && clients <= MOST_CORES,
        command,
        "--cores and --client-cores must be 1 to " + MOST_CORES);
    Requirement.within(command, "--client-hosts", clientHosts, NumberRange.of(1, MOST_CORES));
    if (oneMachine) {
      return SimulatedHosts.shared(own);
    }
    long localMicros =
        delays == null ? SimulatedHosts.DATA_CENTRE_MICROS : delays.withinRegionMicros();
    return new SimulatedHosts(false, own, clientHosts, clients, localMicros);
  }

  /**
   * Refuses what only a real cluster has.
   *
   * @throws ParameterException when it was asked for
   */
  public static void check(CommandLine command, ClusterSettings cluster) {
    Requirement.that(!cluster.tls(), command, "--simulated knows no encryption: leave --tls out");
    Requirement.that(
        cluster.durability().equals("memory"),
        command,
        "--simulated stores nothing: --durability must be 'memory', is '"
            + cluster.durability()
            + "'");
    Requirement.that(
        cluster.others().keySet().stream().noneMatch(name -> name.startsWith("tracing.")),
        command,
        "--simulated reports no spans: leave --trace out");
    Requirement.that(
        !cluster.processes(), command, "--simulated starts no processes: leave --processes out");
  }

  /** The calibration, named or by default. */
  public Calibration calibration() {
    return Calibration.read(calibrationFile());
  }

  private Path calibrationFile() {
    Path named = calibration;
    return named != null ? named : inCheckout(DEFAULT_CALIBRATION);
  }

  /** A file of the checkout that the program was started from, or is in. */
  public static Path inCheckout(String name) {
    return Checkout.find(name).orElseGet(() -> Checkout.start().resolve(name));
  }

  /** Adds the options to those that a report names. */
  public void addTo(Map<String, @Nullable Object> settings, SimulatedHosts hosts) {
    settings.put("way", "simulated");
    settings.put("cores", hosts.cores());
    settings.put("oneMachine", hosts.shared());
    settings.put("clientHosts", hosts.shared() ? null : hosts.clientHosts());
    settings.put("clientCores", hosts.shared() ? null : hosts.clientCores());
    settings.put("localMicros", hosts.shared() ? null : hosts.localMicros());
    settings.put("calibration", String.valueOf(calibrationFile().getFileName()));
  }
}
