package org.mortydb.experiments.figure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;

/**
 * The values of a number, one for each round.
 *
 * @param values at least one value
 */
public record Samples(List<Sample> values) {
  /** A value, and the round that it was measured in. */
  public record Sample(int round, double value) {}

  /** Copies the list. */
  public Samples {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("no values");
    }
    values = List.copyOf(values);
  }

  /** A value of a single round. */
  public static Samples of(double value) {
    return new Samples(List.of(new Sample(1, value)));
  }

  /** The average, with its interval. */
  public Statistic statistic() {
    SummaryStatistics summary = new SummaryStatistics();
    values.forEach(sample -> summary.addValue(sample.value));
    return new Statistic(
        summary.getMean(),
        Statistic.margin(summary.getStandardDeviation(), values.size()),
        values.size());
  }

  /**
   * The quotient of the averages. The systems of a round ran side by side, so only rounds that both
   * sides have count, and disturbances of a round that affect both sides cancel out: the interval
   * is that of the residuals {@code dividend - quotient * divisor} of the rounds (the linearised
   * ratio estimator). By 0 the quotient is infinite, without an interval. Without a common round
   * all rounds count, without an interval.
   *
   * @return empty for 0 by 0
   */
  public Optional<Statistic> over(Samples divisor) {
    List<Sample> unpaired = new ArrayList<>(divisor.values);
    SummaryStatistics of = new SummaryStatistics();
    SummaryStatistics by = new SummaryStatistics();
    List<double[]> pairs = new ArrayList<>();
    for (Sample sample : values) {
      Optional<Sample> other =
          unpaired.stream().filter(one -> one.round == sample.round).findFirst();
      if (other.isPresent()) {
        unpaired.remove(other.get());
        of.addValue(sample.value);
        by.addValue(other.get().value);
        pairs.add(new double[] {sample.value, other.get().value});
      }
    }
    if (pairs.isEmpty()) {
      return quotient(
          statistic().mean(),
          divisor.statistic().mean(),
          OptionalDouble.empty(),
          Math.min(values.size(), divisor.values.size()));
    }
    double ratio = of.getMean() / by.getMean();
    SummaryStatistics residuals = new SummaryStatistics();
    pairs.forEach(pair -> residuals.addValue((pair[0] - ratio * pair[1]) / by.getMean()));
    return quotient(
        of.getMean(),
        by.getMean(),
        Statistic.margin(residuals.getStandardDeviation(), pairs.size()),
        pairs.size());
  }

  private static Optional<Statistic> quotient(
      double of, double by, OptionalDouble margin, int rounds) {
    return of == 0 && by == 0
        ? Optional.empty()
        : Optional.of(new Statistic(of / by, margin, rounds));
  }
}
