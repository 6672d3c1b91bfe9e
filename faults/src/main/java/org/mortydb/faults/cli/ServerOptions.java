package org.mortydb.faults.cli;

import java.util.Map;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.cli.PersistenceOptions;
import org.mortydb.cli.Requirement;
import org.mortydb.config.Durability;
import org.mortydb.config.NumberRange;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options of a cluster whose servers suffer faults: its size, and what servers store. */
final class ServerOptions extends PersistenceOptions {
  private static final NumberRange F = NumberRange.of(1, 5);
  private static final NumberRange PARTITIONS = NumberRange.of(1, 1_024);

  @Option(
      names = "--f",
      order = FaultCommand.LAST,
      paramLabel = "N",
      description = "Failures tolerated; there are 2N+1 servers (default: ${DEFAULT-VALUE}).")
  private int f = 1;

  @Option(
      names = "--partitions",
      order = FaultCommand.LAST,
      paramLabel = "N",
      description = "Partitions of the keys, on every server (default: ${DEFAULT-VALUE}).")
  private int partitions;

  /** Options with a number of partitions unless the user names another one. */
  ServerOptions(int partitions) {
    super(Durability.SYNC);
    this.partitions = partitions;
  }

  /**
   * The cluster.
   *
   * @param loops event loops of each server; 0 for the server's own choice
   * @param others further settings of the configuration file, by their full names
   * @throws CommandLine.ParameterException if an option is out of its range
   */
  ClusterSettings cluster(
      CommandLine command, int loops, String serverJvm, Map<String, String> others) {
    Requirement.within(command, "--f", f, F);
    Requirement.within(command, "--partitions", partitions, PARTITIONS);
    return ClusterSettings.ofProcesses(
        f, partitions, false, durability(), directory(command), loops, serverJvm, others);
  }
}
