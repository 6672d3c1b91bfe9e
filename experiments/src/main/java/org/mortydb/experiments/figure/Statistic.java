package org.mortydb.experiments.figure;

import java.util.OptionalDouble;
import java.util.function.DoubleFunction;
import org.apache.commons.math3.distribution.TDistribution;

/**
 * A number over several rounds.
 *
 * @param mean the average
 * @param margin half the width of the 95 % confidence interval around it, by Student's t; empty for
 *     a single round
 * @param rounds the number of rounds
 */
public record Statistic(double mean, OptionalDouble margin, int rounds) {
  /** The confidence of intervals, for readers. */
  public static final String CONFIDENCE = "95 %";

  private static final double UPPER_QUANTILE = 0.975;

  /** The lower end of the interval; the average without an interval. */
  public double low() {
    return mean - margin.orElse(0);
  }

  /** The upper end of the interval; the average without an interval. */
  public double high() {
    return mean + margin.orElse(0);
  }

  /**
   * The average as text, with the margin of its interval if there is one.
   *
   * @param number turns the average and the margin into text
   */
  public String text(DoubleFunction<String> number) {
    return number.apply(mean)
        + (margin.isEmpty() ? "" : " ± " + number.apply(margin.getAsDouble()));
  }

  /**
   * Half the width of the 95 % confidence interval around the average of some values.
   *
   * @param deviation the standard deviation of the values, with n-1 degrees of freedom
   * @param count the number n of values
   * @return empty for fewer than two values, or if the deviation is infinite or not a number
   */
  static OptionalDouble margin(double deviation, int count) {
    return count < 2 || !Double.isFinite(deviation)
        ? OptionalDouble.empty()
        : OptionalDouble.of(quantile(count - 1) * deviation / Math.sqrt(count));
  }

  private static double quantile(int degreesOfFreedom) {
    return new TDistribution(degreesOfFreedom).inverseCumulativeProbability(UPPER_QUANTILE);
  }
}
