package org.mortydb.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.mortydb.cli.status.ClusterStatus;
import org.mortydb.cli.status.PartitionState.Availability;
import org.mortydb.cli.status.StatusTable;
import org.mortydb.config.ClusterConfig;
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
    header = "Tells which servers and replicas of a cluster serve.",
    description = {
      "",
      "Asks every replica over the connection of a client whether it serves, and every server at"
          + " its admin address, where there is one, for what else it knows. Nothing is written,"
          + " and nothing is kept of it.",
      "",
      "'clock' is by how much a server's clock is ahead of the one here, give or take half of the"
          + " round trip; 'watermark' is how far the oldest watermark of its replicas is behind its"
          + " clock.",
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
      "0:all replicas serve",
      "1:every partition has a quorum, and some replica does not serve",
      "2:the command line or the configuration file is wrong",
      "3:a partition has no quorum, or it cannot be told"
    })
final class StatusCommand implements Callable<Integer> {
  private static final double MOST_SECONDS = 86_400;
  private static final long PAUSE_MILLIS = 500;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();

  @Option(
      names = "--output",
      paramLabel = "FORM",
      defaultValue = "text",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output = OutputFormat.TEXT;

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
        "Asks again until all replicas serve, for so many seconds at most (default: asks once)."
      })
  private double wait = 0;

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.that(
        timeout > 0 && timeout <= MOST_SECONDS,
        command,
        "--timeout must be greater than 0 and at most " + MOST_SECONDS + ", is " + timeout);
    Requirement.that(
        wait >= 0 && wait <= MOST_SECONDS,
        command,
        "--wait must be 0 or more and at most " + MOST_SECONDS + ", is " + wait);
    ClusterStatus status = lastStatus(command);
    PrintWriter out = command.getOut();
    if (output == OutputFormat.JSON) {
      out.println(Json.text(status));
    } else {
      out.print(StatusTable.of(status));
    }
    out.flush();
    return exitCode(status.availability());
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

  private static int exitCode(Availability availability) {
    return switch (availability) {
      case ALL -> ExitCode.OK;
      case QUORUM -> ExitCode.VIOLATION;
      case UNKNOWN, NONE -> ExitCode.FAILED;
    };
  }
}
