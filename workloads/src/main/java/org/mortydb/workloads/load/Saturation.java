package org.mortydb.workloads.load;

import java.util.ArrayList;
import java.util.List;

/**
 * The rate that a cluster saturates at: the most that closed loops committed per second.
 *
 * @param committedPerSecond the rate
 * @param clients the clients of the loop that reached it
 * @param steps all loops that were tried, in order
 */
public record Saturation(double committedPerSecond, int clients, List<Step> steps) {
  private static final int FIRST_CLIENTS = 16;
  private static final int MOST_CLIENTS = 4_096;

  private static final double LEAST_GROWTH = 1.05;

  /** So many loops in a row must not grow, because another program may disturb one of them. */
  private static final int ENOUGH_WITHOUT_GROWTH = 2;

  private static final double STEP_WARMUP_SECONDS = 0.5;
  private static final double MOST_STEP_SECONDS = 2;

  /** About how long a search takes, beside the warm-up. */
  public static final double SEARCH_SECONDS = 5 * (STEP_WARMUP_SECONDS + MOST_STEP_SECONDS);

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
   * Runs closed loops with ever more clients, until more clients do not commit more.
   *
   * @param options the warm-up of the first loop, the longest window, the seed and the style
   */
  public static Saturation find(LoadRunner runner, RunOptions options) throws InterruptedException {
    List<Step> steps = new ArrayList<>();
    Step best = new Step(0, 0);
    double warmup = options.warmupSeconds();
    int withoutGrowth = 0;
    double window = Math.min(MOST_STEP_SECONDS, options.seconds());
    for (int clients = FIRST_CLIENTS; clients <= MOST_CLIENTS; clients *= 2) {
      RunResult result = runner.run(options.closed(clients, warmup, window), RunObserver.NONE);
      warmup = Math.min(STEP_WARMUP_SECONDS, options.warmupSeconds());
      double seconds = result.window().seconds();
      double rate = LoadFigures.of(result.measurement(), seconds).committedPerSecond();
      Step step = new Step(clients, rate);
      steps.add(step);
      withoutGrowth = rate > best.committedPerSecond * LEAST_GROWTH ? 0 : withoutGrowth + 1;
      if (rate > best.committedPerSecond) {
        best = step;
      }
      if (withoutGrowth == ENOUGH_WITHOUT_GROWTH) {
        break;
      }
    }
    if (best.committedPerSecond == 0) {
      throw new LoadFailedException(
          "no transaction committed in the search for the saturated rate, so shares of it are 0:"
              + " name a rate in transactions per second");
    }
    return new Saturation(best.committedPerSecond, best.clients, steps);
  }
}
