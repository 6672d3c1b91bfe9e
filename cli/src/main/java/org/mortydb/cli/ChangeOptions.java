package org.mortydb.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.ClusterChange;
import org.mortydb.client.net.ClusterChange.Outcome;
import org.mortydb.client.net.ClusterChange.State;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.NumberRange;
import org.mortydb.protocol.change.MapChange;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClusterMap;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the commands that change the map of a cluster have in common. */
final class ChangeOptions {
  private static final double MOST_SECONDS = 86_400;

  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();

  @Option(
      names = "--timeout",
      paramLabel = "S",
      defaultValue = "600",
      description = {
        "How many seconds the command waits for the end of the change (default:"
            + " ${DEFAULT-VALUE}). The change can be resumed after that."
      })
  private double timeout = 600;

  /** Prints what has become of a change; returns the exit code. */
  private interface Report {
    int of(CommandLine command, Outcome outcome);
  }

  /** One part of what a command does; it changes nothing if it was done before. */
  interface Step {
    Outcome with(
        ClusterConfig config, MortyClient client, Duration timeout, ClusterChange.Progress progress)
        throws InterruptedException, TimeoutException;
  }

  /** Carries out a plan for the cluster of a client. */
  static Step step(Function<ClusterConfig, MapChange.Plan> plan) {
    return (config, client, timeout, progress) ->
        ClusterChange.carryOut(client, plan.apply(config), timeout, progress);
  }

  /** Waits until no transaction needs the servers that hold nothing any more. */
  static final Step SETTLE =
      (config, client, timeout, progress) -> ClusterChange.settle(client, timeout);

  /** What is done with a connected client. */
  private interface Work {
    Outcome with(ClusterConfig config, MortyClient client, Duration timeout)
        throws InterruptedException, TimeoutException;
  }

  /** Carries out a plan, and prints what happens. */
  int carryOut(CommandLine command, MapChange.Plan plan) throws InterruptedException {
    return run(
        command,
        (config, client, patience) ->
            ClusterChange.carryOut(client, plan, patience, progress(command.getOut())),
        ChangeOptions::report);
  }

  /** Carries out several steps, one after another, and prints what happens. */
  int carryOut(CommandLine command, List<Step> steps) throws InterruptedException {
    return run(
        command,
        (config, client, patience) -> {
          long endNanos = System.nanoTime() + patience.toNanos();
          boolean changed = false;
          for (Step step : steps) {
            Duration left = Duration.ofNanos(Math.max(1, endNanos - System.nanoTime()));
            Outcome outcome = step.with(config, client, left, progress(command.getOut()));
            if (outcome.state() != State.DONE && outcome.state() != State.NOTHING) {
              return outcome;
            }
            changed |= outcome.state() == State.DONE;
          }
          Outcome now = ClusterChange.show(client, patience);
          return now.open() != null
              ? now
              : new Outcome(changed ? State.DONE : State.NOTHING, now.maps(), null);
        },
        ChangeOptions::report);
  }

  /** Prints what a command makes of the map of the cluster. */
  int show(CommandLine command, BiFunction<ClusterConfig, Outcome, String> text)
      throws InterruptedException {
    return run(
        command,
        (config, client, patience) -> {
          Outcome outcome = ClusterChange.show(client, patience);
          command.getOut().print(text.apply(config, outcome));
          return outcome;
        },
        (printed, outcome) -> {
          printed.getOut().flush();
          return ExitCode.OK;
        });
  }

  /** Ends the change that is under way, and prints what has become of it. */
  int resume(CommandLine command) throws InterruptedException {
    return run(
        command,
        (config, client, patience) ->
            ClusterChange.resume(client, patience, progress(command.getOut())),
        ChangeOptions::report);
  }

  /** Prints the map of the cluster. */
  int show(CommandLine command) throws InterruptedException {
    return run(
        command,
        (config, client, patience) -> ClusterChange.show(client, patience),
        (printed, outcome) -> {
          printed.getOut().print(text(outcome));
          printed.getOut().flush();
          return ExitCode.OK;
        });
  }

  private int run(CommandLine command, Work work, Report report) throws InterruptedException {
    Requirement.within(command, "--timeout", timeout, NumberRange.above(0, MOST_SECONDS));
    ClusterConfig config = cluster.cluster(command);
    ClientOptions options = ClientOptions.inRegion(cluster.region(config, command));
    try (MortyClient client = MortyClient.connect(config, options)) {
      return report.of(
          command, work.with(config, client, Duration.ofNanos((long) (timeout * 1e9))));
    } catch (ClusterUnreachableException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    } catch (ClusterChange.RefusedException e) {
      return refused(command, "nothing was changed: " + e.getMessage());
    } catch (TimeoutException e) {
      throw new FailedException(
          "the cluster has not carried this out in %s s (--timeout): 'morty partitions show' says"
                  .formatted(timeout)
              + " how far it is, and 'morty partitions resume' goes on",
          e);
    }
  }

  /** The region that the command line names; null if it names none. */
  @Nullable String region() {
    return cluster.region;
  }

  private static ClusterChange.Progress progress(PrintWriter out) {
    return new ChangeProgress(out);
  }

  private static int refused(CommandLine command, String why) {
    command.getErr().println(why);
    command.getErr().flush();
    return ExitCode.VIOLATION;
  }

  private static int report(CommandLine command, Outcome outcome) {
    switch (outcome.state()) {
      case DONE -> command.getOut().print("done\n" + text(outcome.maps().last(), "map"));
      case NOTHING -> command.getOut().print(text(outcome.maps().last(), "map"));
      case GIVEN_UP -> {
        return refused(
            command,
            "the change was given up, and nothing of it remains: not all servers of the new"
                + " partition have answered within 10 s, or transactions were ahead of the clock;"
                + " see 'morty status', and run the command again");
      }
      case PROPOSED, DECIDED -> {
        ClusterMap open = outcome.open();
        return refused(
            command,
            "another change is under way, which 'morty partitions resume' ends; nothing was"
                + " changed"
                + (open == null ? "" : System.lineSeparator() + text(open, stateOf(outcome))));
      }
    }
    command.getOut().flush();
    return ExitCode.OK;
  }

  private static String stateOf(Outcome outcome) {
    return outcome.state() == State.DECIDED ? "decided map" : "proposed map";
  }

  /** The last map, and the change that is under way. */
  static String text(Outcome outcome) {
    ClusterMap open = outcome.open();
    boolean separate = open != null && outcome.state() == State.PROPOSED;
    return text(outcome.maps().last(), open == null || separate ? "map" : "decided map")
        + (separate ? text(open, "proposed map") : "")
        + (open == null
            ? "no change is under way\n"
            : "a change is under way; 'morty partitions resume' ends it if its command has died\n");
  }

  private static String text(@Nullable ClusterMap map, String name) {
    if (map == null) {
      return "";
    }
    SortedMap<Integer, Integer> buckets = new TreeMap<>();
    for (int bucket = 0; bucket < Bucket.COUNT; bucket++) {
      buckets.merge(map.partitionOf(bucket), 1, Integer::sum);
    }
    StringBuilder text =
        new StringBuilder(name).append(' ').append(map.number()).append(", f ").append(map.f());
    text.append('\n');
    map.servers()
        .forEach(
            (partition, servers) ->
                text.append(
                    "  partition %d: %,d buckets on %s%n"
                        .formatted(partition, buckets.getOrDefault(partition, 0), join(servers))));
    return text.toString();
  }

  private static String join(List<String> servers) {
    return String.join(", ", servers);
  }
}
