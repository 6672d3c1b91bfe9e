package org.mortydb.experiments.figure;

import java.util.List;

/**
 * A number as several rounds gave it.
 *
 * @param mean their average
 * @param min the least of them
 * @param max the greatest of them
 * @param rounds how many there were
 */
public record Statistic(double mean, double min, double max, int rounds) {

  /** Of at least one number. */
  static Statistic of(List<Double> values) {
    return new Statistic(
        values.stream().mapToDouble(Double::doubleValue).average().orElseThrow(),
        values.stream().mapToDouble(Double::doubleValue).min().orElseThrow(),
        values.stream().mapToDouble(Double::doubleValue).max().orElseThrow(),
        values.size());
  }
}
