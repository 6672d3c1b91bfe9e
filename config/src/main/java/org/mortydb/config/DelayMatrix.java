package org.mortydb.config;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One-way delays between regions, for the emulation of a wide-area network on one machine.
 * Immutable.
 */
public final class DelayMatrix {

  /** No emulation. */
  public static final DelayMatrix NONE = new DelayMatrix(Map.of(), 0, 0);

  private final TreeMap<String, TreeMap<String, Long>> microsByFromAndTo = new TreeMap<>();
  private final double jitterFraction;
  private final long jitterMicros;

  /**
   * @param micros one-way delays by the regions of sender and receiver, 0 or more. A delay in one
   *     direction only counts for both directions; a missing pair has no delay
   * @param jitterFraction up to this part of the delay is added at random; 0 to 1
   * @param jitterMicros up to this much is added at random to every delay above 0; 0 or more
   * @throws IllegalArgumentException when a number is out of its range
   */
  public DelayMatrix(
      Map<String, Map<String, Long>> micros, double jitterFraction, long jitterMicros) {
    if (!(jitterFraction >= 0 && jitterFraction <= 1) || jitterMicros < 0) {
      throw new IllegalArgumentException("jitter must be a fraction in 0..1, or 0 µs or more");
    }
    this.jitterFraction = jitterFraction;
    this.jitterMicros = jitterMicros;
    micros.forEach((from, row) -> row.forEach((to, delay) -> put(from, to, delay)));
    micros.forEach(
        (from, row) ->
            row.forEach(
                (to, delay) -> {
                  if (!isGiven(to, from)) {
                    put(to, from, delay);
                  }
                }));
  }

  /** The same delay between any two different regions, and none within a region. */
  public static DelayMatrix uniform(List<String> regions, long micros, double jitterFraction) {
    TreeMap<String, Map<String, Long>> rows = new TreeMap<>();
    for (String from : regions) {
      TreeMap<String, Long> row = new TreeMap<>();
      for (String to : regions) {
        if (!from.equals(to)) {
          row.put(to, micros);
        }
      }
      rows.put(from, row);
    }
    return new DelayMatrix(rows, jitterFraction, 0);
  }

  private void put(String from, String to, long micros) {
    if (micros < 0) {
      throw new IllegalArgumentException(
          "the delay from " + from + " to " + to + " must not be negative, is " + micros);
    }
    microsByFromAndTo.computeIfAbsent(from, region -> new TreeMap<>()).put(to, micros);
  }

  private boolean isGiven(String from, String to) {
    TreeMap<String, Long> row = microsByFromAndTo.get(from);
    return row != null && row.containsKey(to);
  }

  /** Returns the one-way delay without jitter, in microseconds; 0 for a missing pair. */
  public long micros(String from, String to) {
    TreeMap<String, Long> row = microsByFromAndTo.get(from);
    return row == null ? 0 : row.getOrDefault(to, 0L);
  }

  /** Returns the most that jitter adds to the delay, in microseconds. */
  public long jitterMicros(String from, String to) {
    long micros = micros(from, to);
    return micros == 0 ? 0 : (long) (micros * jitterFraction) + jitterMicros;
  }
}
