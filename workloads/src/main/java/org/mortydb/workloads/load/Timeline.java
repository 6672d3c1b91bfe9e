package org.mortydb.workloads.load;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Latencies over time: of the transactions that were due in each interval of a window. */
public final class Timeline {
  private static final long LEAST_INTERVAL_NANOS = 50_000_000;
  private static final int MOST_INTERVALS = 600;

  private final Window window;
  private final long intervalNanos;
  private final List<Histogram> intervals = new ArrayList<>();

  Timeline(Window window) {
    this.window = window;
    long length = window.endNanos() - window.startNanos();
    intervalNanos = Math.max(LEAST_INTERVAL_NANOS, Math.ceilDiv(length, MOST_INTERVALS));
    for (long begin = 0; begin < length; begin += intervalNanos) {
      intervals.add(Meter.newHistogram());
    }
  }

  /** Records a transaction that was due within the window. */
  void record(long dueNanos, long latencyMicros) {
    int place = (int) ((dueNanos - window.startNanos()) / intervalNanos);
    intervals.get(place).recordValue(latencyMicros);
  }

  List<String> toRecord() {
    return intervals.stream().map(Histograms::encode).toList();
  }

  /**
   * Adds the latencies of another process.
   *
   * @throws IllegalArgumentException if they are damaged, or those of a window of another length
   */
  void add(List<String> other) {
    if (other.size() != intervals.size()) {
      throw new IllegalArgumentException(
          "%d intervals of time, not %d".formatted(other.size(), intervals.size()));
    }
    for (int i = 0; i < intervals.size(); i++) {
      Histograms.add(other.get(i), intervals.get(i));
    }
  }

  void addTo(Timeline other) {
    for (int i = 0; i < intervals.size(); i++) {
      other.intervals.get(i).add(intervals.get(i));
    }
  }

  /**
   * The figures of all intervals, in order; those of an interval without commits are 0.
   *
   * @param intervalMillis the length of an interval
   * @param committed the committed transactions that were due in each
   * @param p50Micros their median latency
   * @param p99Micros the 99th percentile
   * @param maxMicros the longest latency
   */
  public record Figures(
      double intervalMillis,
      List<Long> committed,
      List<Long> p50Micros,
      List<Long> p99Micros,
      List<Long> maxMicros) {}

  /** Returns the figures. */
  public Figures figures() {
    return new Figures(
        intervalNanos / 1e6,
        intervals.stream().map(Histogram::getTotalCount).toList(),
        intervals.stream().map(one -> one.getValueAtPercentile(50)).toList(),
        intervals.stream().map(one -> one.getValueAtPercentile(99)).toList(),
        intervals.stream().map(Histogram::getMaxValue).toList());
  }
}
