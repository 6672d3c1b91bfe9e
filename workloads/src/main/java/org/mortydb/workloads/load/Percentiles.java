package org.mortydb.workloads.load;

import org.HdrHistogram.Histogram;

/** Percentiles of times in microseconds. */
public record Percentiles(long p50, long p90, long p99, long p999, long max, double mean) {

  /** The percentiles of a histogram of microseconds; all 0 when it is empty. */
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
