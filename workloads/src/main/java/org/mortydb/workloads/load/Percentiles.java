package org.mortydb.workloads.load;

import org.HdrHistogram.Histogram;

/**
 * Times in microseconds.
 *
 * @param p50 half were faster than this
 * @param p90 nine in ten were
 * @param p99 all but one in a hundred were
 * @param p999 all but one in a thousand were
 * @param max the slowest
 * @param mean the average
 */
public record Percentiles(long p50, long p90, long p99, long p999, long max, double mean) {

  /** Those of a histogram of microseconds; all 0 when it is empty. */
  public static Percentiles of(Histogram micros) {
    if (micros.getTotalCount() == 0) {
      return new Percentiles(0, 0, 0, 0, 0, 0);
    }
    return new Percentiles(
        micros.getValueAtPercentile(50),
        micros.getValueAtPercentile(90),
        micros.getValueAtPercentile(99),
        micros.getValueAtPercentile(99.9),
        micros.getMaxValue(),
        Rounded.to(1, micros.getMean()));
  }
}
