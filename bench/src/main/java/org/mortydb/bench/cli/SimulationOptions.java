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
import org.mortydb.workloads.load.UnfilledWorkload;
import org.mortydb.workloads.load.Workload;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of simulated runs. */
public final class SimulationOptions {
  private static final int DEFAULT_CORES = 8;
  private static final int MOST_CORES = 1_024;

  @Option(
      names = "--simulated",
      description = {
        "Run the same servers and clients in virtual time, with the processor costs of 'morty"
            + " calibrate' (default: a real run)."
      })
  boolean simulated;

  @Option(
      names = "--cores",
      paramLabel = "N",
      description = {
        "With --simulated: the cores of each server and of each client machine. A server uses at"
            + " most one core per partition (default: "
            + DEFAULT_CORES
            + "; with --one-machine the processors of the calibrated machine)."
      })
  private @Nullable Integer cores;

  @Option(
      names = "--client-cores",
      paramLabel = "N",
      description = "With --simulated: the cores of each client machine (default: --cores).")
  @Nullable Integer clientCores;

  @Option(
      names = "--client-hosts",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "With --simulated: the client machines of each region with clients (default:"
            + " ${DEFAULT-VALUE})."
      })
  int clientHosts = 1;

  @Option(
      names = "--one-machine",
      description = {
        "With --simulated: all servers and clients share one machine with --cores, like a real"
            + " run."
      })
  boolean oneMachine;

  @Option(
      names = "--unfilled",
      description = {
        "With --simulated: leave out the initial filling, so that memory holds only the records"
            + " that transactions use. The workload must read absent records as those of the"
            + " filling."
      })
  boolean unfilled;

  @Option(
      names = "--calibration",
      paramLabel = "FILE",
      description = {
        "With --simulated: the file with the costs (default: "
            + Calibration.DEFAULT_FILE
            + " of the checkout)."
      })
  @Nullable Path calibration;

  /** Creates options with {@code --cores}; null for the default. */
  public static SimulationOptions withCores(@Nullable Integer cores) {
    SimulationOptions options = new SimulationOptions();
    options.cores = cores;
    return options;
  }

  /**
   * The machines.
   *
   * @param delays null if delays are not from a file
   * @throws ParameterException if an option is out of its range
   * @throws org.mortydb.bench.simulated.InvalidCalibrationException if the number of cores is that
   *     of the calibrated machine, and the calibration cannot be read or does not say it
   */
  public SimulatedHosts hosts(CommandLine command, @Nullable DelayFile delays) {
    int own = cores != null ? cores : oneMachine ? calibration().processors() : DEFAULT_CORES;
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
   * Refuses options that only suit a real cluster.
   *
   * @throws ParameterException if there is such an option
   */
  public static void check(CommandLine command, ClusterSettings cluster) {
    Requirement.that(!cluster.tls(), command, "--simulated has no encryption: leave --tls out");
    Requirement.that(
        cluster.others().keySet().stream().noneMatch(name -> name.startsWith("tracing.")),
        command,
        "--simulated reports no spans: leave --trace out");
    Requirement.that(
        !cluster.processes(), command, "--simulated starts no processes: leave --processes out");
  }

  /** The named or default calibration. */
  public Calibration calibration() {
    return Calibration.read(calibrationFile());
  }

  private Path calibrationFile() {
    Path named = calibration;
    return named != null ? named : inCheckout(Calibration.DEFAULT_FILE);
  }

  /** A file of the checkout from which the program was started. */
  public static Path inCheckout(String name) {
    return Checkout.find(name).orElseGet(() -> Checkout.start().resolve(name));
  }

  /**
   * The workload, without its filling if that is asked for.
   *
   * @throws ParameterException if it needs the filling
   */
  Workload workload(CommandLine command, Workload workload) {
    try {
      return unfilled ? new UnfilledWorkload(workload) : workload;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, "--unfilled: " + e.getMessage(), e);
    }
  }

  /** Adds the options to the settings of a report. */
  public void addTo(Map<String, @Nullable Object> settings, SimulatedHosts hosts) {
    settings.put("way", "simulated");
    settings.put("cores", hosts.cores());
    settings.put("oneMachine", hosts.shared());
    settings.put("clientHosts", hosts.shared() ? null : hosts.clientHosts());
    settings.put("clientCores", hosts.shared() ? null : hosts.clientCores());
    settings.put("localMicros", hosts.shared() ? null : hosts.localMicros());
    settings.put("filled", !unfilled);
    settings.put("calibration", String.valueOf(calibrationFile().getFileName()));
  }
}
