package org.mortydb.cli;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.mortydb.cli.status.ClusterStatus;
import org.mortydb.cli.status.PartitionState.Availability;
import org.mortydb.cli.status.StatusTable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.NumberRange;
import org.mortydb.transport.tls.InvalidCredentialsException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty status}. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Shows which servers and replicas of a cluster serve.",
    description = {
      "",
      "Asks every replica whether it serves, over a client's connection, and then every"
          + " server with an admin address for its state. The command writes nothing, and servers"
          + " keep nothing of it.",
      "",
      "It warns of clocks that differ by more than server.replica.allowed-skew. Servers with an"
          + " admin address also warn of watermarks that stand still, and of links to other servers"
          + " that are down or break again and again.",
      "",
      "'clock' is how far a server's clock is ahead of the local one, with an error of half"
          + " the round trip. 'watermark' is how far the oldest watermark of the server's replicas"
          + " is behind its clock; a '+' means ahead, so the clock is wrong.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty status --config deploy/example/cluster.conf",
      "  morty status --config cluster.conf --wait 60               until all serve, as in a"
          + " script",
      "  morty status --config cluster.conf --output json | jq .availability"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all replicas serve, and there are no warnings",
      "1:every partition has a quorum, but some replica does not serve",
      "2:the command line or the configuration file is wrong",
      "3:a partition has no quorum, or its state is unknown",
      "4:all replicas serve, but there are warnings"
    })
final class StatusCommand implements Callable<Integer> {
  private static final double MOST_SECONDS = 86_400;
  private static final long PAUSE_MILLIS = 500;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();

  @Mixin private OutputOption output = new OutputOption();

  @Option(
      names = "--timeout",
      paramLabel = "S",
      defaultValue = "3",
      description = "How many seconds servers may take to answer (default: ${DEFAULT-VALUE}).")
  private double timeout = 3;

  @Option(
      names = "--wait",
      paramLabel = "S",
      defaultValue = "0",
      description = {
        "Repeats until all replicas serve, for at most this many seconds (default: asks once)."
      })
  private double wait = 0;

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.within(command, "--timeout", timeout, NumberRange.above(0, MOST_SECONDS));
    Requirement.within(command, "--wait", wait, NumberRange.of(0, MOST_SECONDS));
    ClusterStatus status = lastStatus(command);
    output.print(command, status, () -> StatusTable.of(status));
    return exitCode(status);
  }

  private ClusterStatus lastStatus(CommandLine command) throws InterruptedException {
    ClusterConfig config = cluster.cluster(command);
    String region = cluster.region(config, command);
    long deadlineNanos = System.nanoTime() + nanos(wait);
    while (true) {
      ClusterStatus status;
      try {
        status = ClusterStatus.of(config, region, Duration.ofNanos(nanos(timeout)));
      } catch (InvalidCredentialsException e) {
        throw new FailedException(String.valueOf(e.getMessage()), e);
      }
      if (status.availability() == Availability.ALL || System.nanoTime() >= deadlineNanos) {
        return status;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private static long nanos(double seconds) {
    return (long) (seconds * 1e9);
  }

  private static int exitCode(ClusterStatus status) {
    return switch (status.availability()) {
      case ALL -> status.warnings() == 0 ? ExitCode.OK : ExitCode.WARNING;
      case QUORUM -> ExitCode.VIOLATION;
      case UNKNOWN, NONE -> ExitCode.FAILED;
    };
  }
}
