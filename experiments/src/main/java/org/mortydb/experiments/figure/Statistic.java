package org.mortydb.experiments.figure;

import java.util.List;

/**
 * A number over several rounds.
 *
 * @param mean the average
 * @param min the least value
 * @param max the greatest value
 * @param rounds the number of rounds
 */
public record Statistic(double mean, double min, double max, int rounds) {

  /** The statistic of at least one number. */
  static Statistic of(List<Double> values) {
    return new Statistic(
        values.stream().mapToDouble(Double::doubleValue).average().orElseThrow(),
        values.stream().mapToDouble(Double::doubleValue).min().orElseThrow(),
        values.stream().mapToDouble(Double::doubleValue).max().orElseThrow(),
        values.size());
  }
}
