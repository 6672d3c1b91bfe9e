package org.mortydb.workloads.load;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Loads that run one after another on the same records.
 *
 * @param options the options of each load, except the rate
 * @param rates the rates of open loops; none for a single load with the rate of the options
 * @param known the saturated rate; null to find it when a rate is a share of it
 */
public record LoadSeries(RunOptions options, List<Rate> rates, @Nullable Saturation known) {

  /** Copies the list. */
  public LoadSeries {
    rates = List.copyOf(rates);
  }

  /** A single load. */
  public static LoadSeries of(RunOptions options) {
    return new LoadSeries(options, List.of(), null);
  }

  /** Takes the result of each load, right after it. */
  @FunctionalInterface
  public interface Taker<T> {
    /**
     * @param rate the rate as it was asked for; null for a single load without
     */
    T take(@Nullable Rate rate, RunResult result);
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
    if (rates.isEmpty()) {
      return new Outcome<>(null, List.of(taker.take(null, runner.run(options, observer))));
    }
    Saturation saturation = known;
    if (saturation == null && rates.stream().anyMatch(Rate::ofMax)) {
      saturation = Saturation.find(runner, options);
    }
    List<T> loads = new ArrayList<>();
    for (Rate rate : rates) {
      double perSecond = rate.perSecond(saturation == null ? 0 : saturation.committedPerSecond());
      RunOptions run = options.withRate(OptionalDouble.of(perSecond));
      loads.add(taker.take(rate, runner.run(run, observer)));
    }
    return new Outcome<>(saturation, loads);
  }
}
