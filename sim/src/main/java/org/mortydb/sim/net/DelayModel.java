package org.mortydb.sim.net;

import java.util.SplittableRandom;

/**
 * How long messages travel: a fixed part for each pair of regions, jitter on top of it, and now and
 * then a straggler. Computed with nothing but sums and products, so that it is the same on every
 * machine.
 *
 * @param baseMicros the fixed one-way delay by region of sender and of receiver, 0 or more
 * @param jitter the most that jitter adds, as a share of the fixed delay
 * @param tailProbability the share of stragglers, 0 to 1
 * @param tailFactor the most that a straggler is late, in fixed delays
 */
public record DelayModel(
    long[][] baseMicros, double jitter, double tailProbability, double tailFactor) {

  /** A model in which every message takes the same time. */
  public static DelayModel constant(int regions, long micros) {
    long[][] base = new long[regions][regions];
    for (long[] row : base) {
      java.util.Arrays.fill(row, micros);
    }
    return new DelayModel(base, 0, 0, 0);
  }

  /** Draws the delay of one message in microseconds. */
  public long sample(SplittableRandom random, int from, int to) {
    long base = baseMicros[from][to];
    double u = random.nextDouble();
    double delay = base * (1 + jitter * u * u);
    if (tailProbability > 0 && random.nextDouble() < tailProbability) {
      double v = random.nextDouble();
      delay += base * tailFactor * v * v * v;
    }
    return (long) delay;
  }

  /** The longest fixed delay. */
  public long maxBaseMicros() {
    long max = 0;
    for (long[] row : baseMicros) {
      for (long micros : row) {
        max = Math.max(max, micros);
      }
    }
    return max;
  }
}
