package org.mortydb.workloads.load;

import java.util.ArrayList;
import java.util.List;

/**
 * The rate that a cluster saturates at: what a closed loop commits per second for as long as it
 * runs. Short loops find the best number of clients. Their peak is not the rate, because versions,
 * outcomes and logs have yet to pile up, so that an open loop at nine tenths of a peak may ask for
 * more than the cluster can hold: a longer loop with as many clients measures it.
 *
 * @param committedPerSecond the rate
 * @param clients the clients of the loop that reached it
 * @param steps all loops that were tried, in order; the last one is the longer one
 */
public record Saturation(double committedPerSecond, int clients, List<Step> steps) {
  private static final int FIRST_CLIENTS = 16;
  private static final int MOST_CLIENTS = 4_096;

  private static final double LEAST_GROWTH = 1.05;

  /** So many loops in a row must not grow, because another program may disturb one of them. */
  private static final int ENOUGH_WITHOUT_GROWTH = 2;

  private static final double STEP_WARMUP_SECONDS = 0.5;
  private static final double MOST_STEP_SECONDS = 2;
  private static final double MOST_HELD_SECONDS = 10;

  /** About how long a search takes, beside the warm-up. */
  public static final double SEARCH_SECONDS =
      5 * (STEP_WARMUP_SECONDS + MOST_STEP_SECONDS) + STEP_WARMUP_SECONDS + MOST_HELD_SECONDS;

  /** Copies the list. */
  public Saturation {
    steps = List.copyOf(steps);
  }

  /**
   * A closed loop.
   *
   * @param clients the number of concurrent transactions
   * @param committedPerSecond what it committed
   */
  public record Step(int clients, double committedPerSecond) {}

  /**
   * Runs closed loops with ever more clients, until more clients do not commit more; then a longer
   * one with the best number of clients.
   *
   * @param options the warm-up of the first loop, the longest window, the seed and the style
   */
  public static Saturation find(LoadRunner runner, RunOptions options) throws InterruptedException {
    List<Step> steps = new ArrayList<>();
    Step best = new Step(0, 0);
    double warmup = options.warmupSeconds();
    double shortWarmup = Math.min(STEP_WARMUP_SECONDS, warmup);
    int withoutGrowth = 0;
    for (int clients = FIRST_CLIENTS;
        clients <= MOST_CLIENTS && withoutGrowth < ENOUGH_WITHOUT_GROWTH;
        clients *= 2) {
      Step step = step(runner, options, clients, warmup, MOST_STEP_SECONDS);
      steps.add(step);
      warmup = shortWarmup;
      double rate = step.committedPerSecond;
      withoutGrowth = rate > best.committedPerSecond * LEAST_GROWTH ? 0 : withoutGrowth + 1;
      if (rate > best.committedPerSecond) {
        best = step;
      }
    }
    Step held =
        best.committedPerSecond == 0
            ? best
            : step(runner, options, best.clients, shortWarmup, MOST_HELD_SECONDS);
    if (held.committedPerSecond == 0) {
      throw new LoadFailedException(
          "no transaction committed in the search for the saturated rate, so shares of it are 0:"
              + " name a rate in transactions per second");
    }
    steps.add(held);
    return new Saturation(held.committedPerSecond, held.clients, steps);
  }

  private static Step step(
      LoadRunner runner, RunOptions options, int clients, double warmup, double mostSeconds)
      throws InterruptedException {
    double window = Math.min(mostSeconds, options.seconds());
    RunResult result = runner.run(options.closed(clients, warmup, window), RunObserver.NONE);
    double seconds = result.window().seconds();
    return new Step(clients, LoadFigures.of(result.measurement(), seconds).committedPerSecond());
  }
}
