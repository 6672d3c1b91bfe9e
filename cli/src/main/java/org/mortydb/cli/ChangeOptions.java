package org.mortydb.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
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
import org.mortydb.config.Names;
import org.mortydb.config.NumberRange;
import org.mortydb.protocol.change.MapChange;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the commands that change the map of a cluster have in common. */
final class ChangeOptions {
  private static final double MOST_SECONDS = 86_400;
  private static final double SECONDS_TO_CHANGE = 600;
  private static final double SECONDS_TO_SHOW = 30;

  private static final String PARTLY_DONE =
      "the command was not carried out to its end, and what it has changed before that stays: look"
          + " at 'morty servers show'; when the reason is mended, run the command again";

  /** What to do after the time for a command of one change. */
  private static final String RESUME =
      "'morty partitions show' says how far it is, and 'morty partitions resume' goes on";

  /** What to do after the time for a command of several changes. */
  private static final String REPEAT =
      "'morty partitions resume' ends a change that is under way; then run the command again, which"
          + " does what is left";

  /** What to do after the time for a command that changes nothing. */
  private static final String LOOK = "'morty status' shows which servers serve";

  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();

  @Option(
      names = "--timeout",
      paramLabel = "S",
      description = {
        "How many seconds the command waits for the end of the change (default: 600; to show"
            + " something: 30). The change can be resumed after that."
      })
  private @Nullable Double timeout;

  /** Whether a change of this command is complete. */
  private boolean changed;

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
      (config, client, timeout, progress) ->
          new Outcome(State.NOTHING, ClusterChange.settle(client, timeout).maps(), null);

  /** What is done with a connected client. */
  private interface Work {
    Outcome with(ClusterConfig config, MortyClient client, Duration timeout)
        throws InterruptedException, TimeoutException;
  }

  /** Carries out a plan, and prints what happens. */
  int carryOut(CommandLine command, MapChange.Plan plan) throws InterruptedException {
    return carryOut(command, List.of(step(config -> plan)));
  }

  /** Carries out several steps, one after another, and prints what happens. */
  int carryOut(CommandLine command, List<Step> steps) throws InterruptedException {
    return carryOut(command, steps, steps.size() == 1 ? RESUME : REPEAT);
  }

  /** Carries out a step that may make several changes, and prints what happens. */
  int carryOutSeveral(CommandLine command, Step step) throws InterruptedException {
    return carryOut(command, List.of(step), REPEAT);
  }

  /** A change of this command is complete. What comes after it may still be refused. */
  void changed() {
    changed = true;
  }

  private int carryOut(CommandLine command, List<Step> steps, String afterTheTime)
      throws InterruptedException {
    return run(
        command,
        SECONDS_TO_CHANGE,
        afterTheTime,
        (config, client, patience) -> {
          long endNanos = System.nanoTime() + patience.toNanos();
          Outcome last = null;
          for (Step step : steps) {
            Duration left = Duration.ofNanos(Math.max(1, endNanos - System.nanoTime()));
            last = step.with(config, client, left, progress(command.getOut()));
            if (last.state() != State.DONE && last.state() != State.NOTHING) {
              if (changed) {
                command.getErr().println(PARTLY_DONE);
              }
              return last;
            }
            changed |= last.state() == State.DONE;
          }
          MapHistory maps = Objects.requireNonNull(last).maps();
          return new Outcome(changed ? State.DONE : State.NOTHING, maps, null);
        },
        this::report);
  }

  /**
   * Checks the servers of {@code --on}.
   *
   * @throws CommandLine.ParameterException if one has no name
   */
  static void requireNames(CommandLine command, List<String> servers) {
    for (String name : servers) {
      Requirement.that(
          Names.isValid(name), command, "--on holds '" + name + "': a name must be " + Names.RULE);
    }
  }

  /** Prints what a command makes of the map of the cluster. */
  int show(CommandLine command, BiFunction<ClusterConfig, Outcome, String> text)
      throws InterruptedException {
    return run(
        command,
        SECONDS_TO_SHOW,
        LOOK,
        (config, client, patience) -> {
          Outcome outcome =
              config.changes()
                  ? ClusterChange.show(client, patience)
                  : new Outcome(State.NOTHING, new MapHistory(config.firstMap()), null);
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
        SECONDS_TO_CHANGE,
        RESUME,
        (config, client, patience) ->
            ClusterChange.resume(client, patience, progress(command.getOut())),
        (printed, outcome) -> {
          if (outcome.state() == State.NOTHING) {
            printed.getOut().println("no change was under way");
          }
          return report(printed, outcome);
        });
  }

  private int run(
      CommandLine command, double usualSeconds, String afterTheTime, Work work, Report report)
      throws InterruptedException {
    double seconds = timeout == null ? usualSeconds : timeout;
    Requirement.within(command, "--timeout", seconds, NumberRange.above(0, MOST_SECONDS));
    ClusterConfig config = cluster.cluster(command);
    ClientOptions options = ClientOptions.inRegion(cluster.region(config, command));
    try (MortyClient client = MortyClient.connect(config, options)) {
      return report.of(
          command, work.with(config, client, Duration.ofNanos((long) (seconds * 1e9))));
    } catch (ClusterUnreachableException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    } catch (ClusterChange.RefusedException e) {
      return refused(
          command,
          (changed ? PARTLY_DONE + System.lineSeparator() : "nothing was changed: ")
              + e.getMessage());
    } catch (TimeoutException e) {
      String why = e.getMessage();
      throw new FailedException(
          "the cluster has not carried this out in %s s (--timeout)%s; %s"
              .formatted(
                  NumberRange.text(seconds),
                  why == null || why.isEmpty() ? "" : ": " + why,
                  afterTheTime),
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

  private int report(CommandLine command, Outcome outcome) {
    switch (outcome.state()) {
      case DONE -> command.getOut().print("done\n" + text(outcome.maps().last(), "map"));
      case NOTHING ->
          command.getOut().print("nothing has changed\n" + text(outcome.maps().last(), "map"));
      case GIVEN_UP -> {
        return refused(
            command,
            "the change was given up, and nothing of it remains: "
                + (outcome.why().isEmpty()
                    ? "another process has ended it, or servers were slow to answer"
                    : outcome.why())
                + "; see 'morty status', and run the command again");
      }
      case PROPOSED, DECIDED -> {
        ClusterMap open = outcome.open();
        return refused(
            command,
            "another change is under way: wait for it, or run 'morty partitions resume' if its"
                + " command has died"
                + (changed ? "" : "; nothing was changed")
                + (open == null
                    ? ""
                    : System.lineSeparator() + text(open, stateOf(outcome)).stripTrailing()));
      }
    }
    command.getOut().flush();
    return ExitCode.OK;
  }

  private static String stateOf(Outcome outcome) {
    return outcome.state() == State.DECIDED ? "decided map" : "proposed map";
  }

  /** The last map, and the change that is under way. */
  static String text(ClusterConfig config, Outcome outcome) {
    if (!config.changes()) {
      return text(outcome.maps().last(), "map")
          + "the map cannot change, because the cluster file does not have cluster.changes\n";
    }
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
