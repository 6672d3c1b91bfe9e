package org.mortydb.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.status.ClusterStatus;
import org.mortydb.cli.status.PartitionState.Availability;
import org.mortydb.cli.status.ServerState.ReplicaCondition;
import org.mortydb.cli.status.ServerState.ReplicaState;
import org.mortydb.cli.status.StatusTable;
import org.mortydb.cli.status.Turns;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.NumberRange;
import org.mortydb.config.ServerSpec;
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
      "  morty status --config cluster.conf --output json | jq .availability",
      "  morty status --config cluster.conf --stopping us-1 --wait 600   before us-1 is stopped"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all replicas serve, and there are no warnings; with --stopping: the server may stop",
      "1:every partition has a quorum, but some replica does not serve",
      "2:the command line or the configuration file is wrong",
      "3:a partition has no quorum, or its state is unknown; with --stopping: or would have none",
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

  @Option(
      names = "--stopping",
      paramLabel = "NAME",
      description = {
        "Asks whether this server may stop: whether f+1 other replicas of each of its partitions"
            + " serve. With --wait, repeats until that is so and it is the server's turn: servers"
            + " take turns of 15 s by the clock, so that no two stop together."
      })
  private @Nullable String stopping;

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.within(command, "--timeout", timeout, NumberRange.above(0, MOST_SECONDS));
    Requirement.within(command, "--wait", wait, NumberRange.of(0, MOST_SECONDS));
    ClusterConfig config = cluster.cluster(command);
    List<String> names = config.servers().stream().map(ServerSpec::name).toList();
    int index = names.indexOf(stopping);
    Requirement.that(
        stopping == null || index >= 0,
        command,
        "--stopping: cluster '"
            + config.name()
            + "' has no server '"
            + stopping
            + "', it has "
            + String.join(", ", names));
    String name = stopping;
    if (name != null) {
      return beforeStop(config, name, index, command);
    }
    ClusterStatus status = lastStatus(config, command);
    if (wait > 0 && status.availability() != Availability.ALL) {
      command
          .getErr()
          .printf("morty: not all replicas serve after %s s%n", NumberRange.text(wait))
          .flush();
    }
    output.print(command, status, () -> StatusTable.of(status));
    return exitCode(status);
  }

  /** Asks whether a server may stop, until it may or the wait is over. */
  private int beforeStop(ClusterConfig config, String name, int index, CommandLine command)
      throws InterruptedException {
    long deadlineNanos = System.nanoTime() + nanos(wait);
    int servers = config.servers().size();
    while (true) {
      boolean last = System.nanoTime() >= deadlineNanos;
      if (last || Turns.isTurnOf(System.currentTimeMillis(), index, servers)) {
        ClusterStatus status = status(config, command);
        boolean may =
            status.canDoWithout(name)
                && (wait == 0 || Turns.isTurnOf(System.currentTimeMillis(), index, servers));
        if (may || last) {
          output.print(command, status, () -> StatusTable.of(status));
          return may ? ExitCode.OK : ExitCode.FAILED;
        }
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private ClusterStatus lastStatus(ClusterConfig config, CommandLine command)
      throws InterruptedException {
    long deadlineNanos = System.nanoTime() + nanos(wait);
    ClusterConfig known = config;
    try (ProgressLine progress = ProgressLine.onStandardError("waiting")) {
      while (true) {
        ClusterStatus status = status(known, command);
        if (status.availability() == Availability.ALL || System.nanoTime() >= deadlineNanos) {
          return status;
        }
        progress.show(servingText(status));
        Thread.sleep(PAUSE_MILLIS);
        known = learntSince(known, command);
      }
    }
  }

  private static String servingText(ClusterStatus status) {
    List<ReplicaState> replicas =
        status.servers().stream().flatMap(server -> server.replicas().stream()).toList();
    long serving =
        replicas.stream()
            .filter(replica -> replica.condition() == ReplicaCondition.SERVING)
            .count();
    return "%d of %d replicas serve".formatted(serving, replicas.size());
  }

  /** While all servers were starting, none could tell which ones have joined and left. */
  private ClusterConfig learntSince(ClusterConfig known, CommandLine command) {
    try {
      return known.changes() ? cluster.cluster(command) : known;
    } catch (FailedException e) {
      return known;
    }
  }

  private ClusterStatus status(ClusterConfig config, CommandLine command)
      throws InterruptedException {
    String region = cluster.region(config, command);
    try {
      return ClusterStatus.of(config, region, Duration.ofNanos(nanos(timeout)));
    } catch (InvalidCredentialsException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
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
