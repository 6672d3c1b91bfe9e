package org.mortydb.workloads.load;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Loads that run one after another on the same records. The first one, or the search for the
 * saturated rate before it, warms the processes; those after it only settle.
 *
 * @param loads at least one
 * @param known the saturated rate; null to find it when a rate is a share of it
 */
public record LoadSeries(List<Load> loads, @Nullable Saturation known) {
  /**
   * The longest warm-up of a load on processes that are warm, in seconds: long enough for queues,
   * slots and admission to follow the new load.
   */
  public static final double SETTLE_SECONDS = 5;

  /**
   * The longest warm-up of the first load of another workload on processes that are warm, in
   * seconds: it may need code that was not compiled so far.
   */
  public static final double CHANGE_SECONDS = 10;

  /** Copies the list. */
  public LoadSeries {
    loads = List.copyOf(loads);
    if (loads.isEmpty()) {
      throw new IllegalArgumentException("a series has at least one load");
    }
  }

  /**
   * One of the loads.
   *
   * @param options its options; a rate in them counts only if the next one is null
   * @param rate the rate of an open loop as it was asked for; null for none
   */
  public record Load(RunOptions options, @Nullable Rate rate) {
    private Load settling(double mostSeconds) {
      return new Load(options.withWarmup(Math.min(options.warmupSeconds(), mostSeconds)), rate);
    }
  }

  /** A single load. */
  public static LoadSeries of(RunOptions options) {
    return new LoadSeries(List.of(new Load(options, null)), null);
  }

  /**
   * A load for each rate.
   *
   * @param options the options of each load, except the rate
   * @param rates the rates of open loops; none for a single load with the rate of the options
   */
  public static LoadSeries of(RunOptions options, List<Rate> rates) {
    return rates.isEmpty()
        ? of(options)
        : new LoadSeries(rates.stream().map(rate -> new Load(options, rate)).toList(), null);
  }

  /** The options of the first load; all have the same seed and style. */
  public RunOptions options() {
    return loads.getFirst().options;
  }

  /** Takes the result of each load, right after it. */
  @FunctionalInterface
  public interface Taker<T> {
    /**
     * @param load the load, with the warm-up that it had
     */
    T take(Load load, RunResult result);
  }

  /**
   * What the loads led to.
   *
   * @param saturation the saturated rate; null if no rate is a share of it
   * @param loads what was taken from each load, in order
   */
  public record Outcome<T>(@Nullable Saturation saturation, List<T> loads) {}

  /**
   * Runs the loads.
   *
   * @param observer observes each load
   * @throws LoadFailedException when a transaction fails with an error
   */
  public <T> Outcome<T> run(LoadRunner runner, RunObserver observer, Taker<T> taker)
      throws InterruptedException {
    return run(runner, observer, taker, false);
  }

  /**
   * Runs the loads.
   *
   * @param observer observes each load
   * @param afterOthers whether loads of another workload have warmed the processes
   * @throws LoadFailedException when a transaction fails with an error
   */
  public <T> Outcome<T> run(
      LoadRunner runner, RunObserver observer, Taker<T> taker, boolean afterOthers)
      throws InterruptedException {
    double warmup = afterOthers ? CHANGE_SECONDS : Double.POSITIVE_INFINITY;
    Saturation saturation = null;
    if (loads.stream().anyMatch(load -> load.rate != null && load.rate.ofMax())) {
      saturation = known;
      if (saturation == null) {
        saturation = Saturation.find(runner, loads.getFirst().settling(warmup).options);
        warmup = SETTLE_SECONDS;
      }
    }
    double most = saturation == null ? 0 : saturation.committedPerSecond();
    List<T> taken = new ArrayList<>();
    for (Load each : loads) {
      Load load = each.settling(warmup);
      Rate rate = load.rate;
      RunOptions run =
          rate == null
              ? load.options
              : load.options.withRate(OptionalDouble.of(rate.perSecond(most)));
      taken.add(taker.take(load, runner.run(run, observer)));
      warmup = SETTLE_SECONDS;
    }
    return new Outcome<>(saturation, taken);
  }
}
