package org.mortydb.sim.net;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The delays of messages: a fixed part for each pair of regions, jitter, and rare stragglers. It
 * uses only sums and products, so that it is equal on every machine. Immutable.
 */
public final class DelayModel {
  private final long[][] baseMicros;
  private final double jitter;
  private final double tailProbability;
  private final double tailFactor;

  /**
   * @param baseMicros the fixed one-way delay by the sender's and the receiver's region, 0 or more
   * @param jitter the largest jitter, as a share of the fixed delay
   * @param tailProbability the share of stragglers, 0 to 1
   * @param tailFactor the largest lateness of a straggler, in fixed delays
   */
  public DelayModel(long[][] baseMicros, double jitter, double tailProbability, double tailFactor) {
    this.baseMicros = Arrays.stream(baseMicros).map(long[]::clone).toArray(long[][]::new);
    this.jitter = jitter;
    this.tailProbability = tailProbability;
    this.tailFactor = tailFactor;
  }

  /** A model with the same delay for all messages. */
  public static DelayModel constant(int regions, long micros) {
    long[][] base = new long[regions][regions];
    for (long[] row : base) {
      Arrays.fill(row, micros);
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

  /** The fixed delay from one region to another, in microseconds. */
  public long baseMicros(int from, int to) {
    return baseMicros[from][to];
  }

  /** The longest fixed delay. */
  public long maxBaseMicros() {
    return Arrays.stream(baseMicros).flatMapToLong(Arrays::stream).max().orElse(0);
  }

  /** The longest fixed delay between a region and another one: half of the way there and back. */
  public long farthestMicros(int region) {
    long farthest = 0;
    for (int other = 0; other < baseMicros.length; other++) {
      if (other != region) {
        long both = baseMicros[region][other] + baseMicros[other][region];
        farthest = Math.max(farthest, both / 2);
      }
    }
    return farthest;
  }

  /** Whether there are stragglers. */
  public boolean hasTail() {
    return tailProbability > 0;
  }
}
