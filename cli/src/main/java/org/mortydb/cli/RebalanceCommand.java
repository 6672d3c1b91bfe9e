package org.mortydb.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.text.Sizes;
import org.mortydb.client.net.ClusterChange;
import org.mortydb.client.net.ClusterChange.Outcome;
import org.mortydb.client.net.ClusterChange.State;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.change.MapChange;
import org.mortydb.protocol.change.Rebalance;
import org.mortydb.protocol.change.Rebalance.Step;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty rebalance}. */
@Command(
    name = "rebalance",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Moves partitions so that all servers hold about as many replicas.",
    description = {
      "",
      "Without --yes the command only shows what it would do, and what that costs. With --yes it"
          + " carries out one change after another, while transactions go on. It can be stopped:"
          + " 'morty partitions resume' ends the change that is under way, and the same command"
          + " goes on with the rest.",
      "",
      "The servers of a partition lie in as many regions as before, or more.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done, or only shown",
      "1:the command was refused, or a change was given up; those before it are complete",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot be reached, or has not carried it out in time"
    },
    footer = {
      "",
      "Examples:",
      "  morty rebalance --config cluster.conf",
      "  morty rebalance --partitions 4 --yes --config cluster.conf"
    })
final class RebalanceCommand implements Callable<Integer> {
  private static final Duration ASKING = Duration.ofSeconds(10);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description = {
        "How many partitions there shall be at least; the largest are split (default: as many as"
            + " there are)."
      })
  private int partitions = 1;

  @Option(names = "--yes", description = "Carries the plan out.")
  private boolean yes;

  @Mixin private ChangeOptions options = new ChangeOptions();

  @Override
  public Integer call() throws InterruptedException {
    Requirement.that(partitions >= 1, spec.commandLine(), "--partitions: it must be at least 1");
    return options.carryOutSeveral(spec.commandLine(), this::run);
  }

  private Outcome run(
      ClusterConfig config, MortyClient client, Duration timeout, ClusterChange.Progress progress)
      throws InterruptedException, TimeoutException {
    PrintWriter out = spec.commandLine().getOut();
    long endNanos = System.nanoTime() + timeout.toNanos();
    Outcome now = ClusterChange.show(client, timeout);
    if (now.open() != null) {
      return now;
    }
    List<Step> steps = steps(config, now.maps().last());
    if (steps.isEmpty()) {
      out.println("all servers hold about as many replicas already");
      return new Outcome(State.NOTHING, now.maps(), null);
    }
    requireFeasible(now.maps(), steps);
    propose(config, client, steps);
    boolean changed = false;
    for (int done = 1; yes; done++) {
      Step next = next(config, now.maps().last());
      if (next == null) {
        break;
      }
      out.println("change " + done + ": " + next);
      out.flush();
      Duration left = Duration.ofNanos(Math.max(1, endNanos - System.nanoTime()));
      now = ClusterChange.carryOut(client, onlyIf(now.maps().last(), next), left, progress);
      if (now.state() != State.DONE) {
        return now;
      }
      changed = true;
      options.changed();
    }
    return new Outcome(changed ? State.DONE : State.NOTHING, now.maps(), null);
  }

  /** Otherwise the last changes would be refused, and so would all others from then on. */
  private static void requireFeasible(MapHistory maps, List<Step> steps) {
    int feasible = Rebalance.feasible(maps, steps);
    if (feasible < steps.size()) {
      throw ClusterChange.refused(
          "that takes "
              + steps.size()
              + " changes, and only "
              + feasible
              + " can follow, because all processes remember all maps of the cluster: ask for fewer"
              + " partitions, or restore a backup into a new cluster");
    }
  }

  private List<Step> steps(ClusterConfig config, ClusterMap map) {
    try {
      return Rebalance.plan(map, ClusterChange.members(config).of(map), partitions);
    } catch (IllegalArgumentException e) {
      throw ClusterChange.refused(String.valueOf(e.getMessage()));
    }
  }

  private @Nullable Step next(ClusterConfig config, ClusterMap map) {
    return Rebalance.next(map, ClusterChange.members(config).of(map), partitions);
  }

  /** The step belongs to one map: somebody else may have changed it. */
  private static MapChange.Plan onlyIf(ClusterMap map, Step step) {
    return (last, number, partition, cutMicros) -> {
      if (last.number() != map.number()) {
        throw new IllegalArgumentException(
            "somebody else has changed the map: run the command again");
      }
      return step.plan().next(last, number, partition, cutMicros);
    };
  }

  private static Map<Integer, Long> weigh(MortyClient client) throws InterruptedException {
    try {
      return ClusterChange.weigh(client, ASKING);
    } catch (TimeoutException e) {
      throw new FailedException(
          "nothing was changed: in "
              + ASKING.toSeconds()
              + " s "
              + e.getMessage()
              + "; 'morty status' shows which servers serve",
          e);
    }
  }

  /** Shows the steps, and what they cost. */
  private void propose(ClusterConfig config, MortyClient client, List<Step> steps)
      throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    Map<Integer, Long> bytes = weigh(client);
    long all = 0;
    for (Step step : steps) {
      long held = bytes.getOrDefault(step.partition(), 0L);
      long moves = step.split() ? held / 2 : held;
      // What an earlier step has made is not known yet.
      boolean known = bytes.containsKey(step.partition());
      all += moves;
      out.printf("%s%s%n", step, known ? ": about " + Sizes.text(moves) : "");
    }
    double waitSeconds = 3 * config.replicaOptions().allowedSkewMicros() / 1e6;
    out.printf(
        "%d %s, one at a time, about %s or more to each new replica; each change takes %.1f s, the"
            + " wait for its cut, and the time to copy%n",
        steps.size(), steps.size() == 1 ? "change" : "changes", Sizes.text(all), waitSeconds);
    if (!yes) {
      out.println("nothing was changed; --yes carries it out");
    }
    out.flush();
  }
}
