package org.mortydb.workloads.sampling;

import java.util.random.RandomGenerator;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.mortydb.config.NumberRange;

/** Draws numbers from 0 to a limit. Not safe for use by several threads. */
@FunctionalInterface
public interface Sampler {
  /**
   * The exponents that workloads accept. With higher ones, nearly every draw is the same number, so
   * that a transaction on two different ones never finds the second.
   */
  NumberRange EXPONENTS = NumberRange.of(0, 4);

  /** Draws a number. */
  int next();

  /** All numbers are equally likely. */
  static Sampler uniform(RandomGenerator random, int count) {
    return () -> random.nextInt(count);
  }

  /**
   * The i-th most popular number has a probability proportional to i to the power of minus {@code
   * theta}. Popularity is scattered over the numbers.
   *
   * @param random the source of randomness of every draw
   * @param count the number of numbers, at least 1
   * @param theta the exponent, 0 or more; 0 is the uniform distribution
   */
  static Sampler zipf(RandomGenerator random, int count, double theta) {
    if (theta == 0) {
      return uniform(random, count);
    }
    Sampler ranks = ranks(random, count, theta);
    long stride = strideOver(count);
    return () -> (int) (ranks.next() * stride % count);
  }

  /** As {@link #zipf}, but 0 is the most popular number, 1 the next, and so on. */
  static Sampler ranks(RandomGenerator random, int count, double theta) {
    if (theta == 0) {
      return uniform(random, count);
    }
    UniformRandomProvider bits = random::nextLong;
    DiscreteSampler ranks = RejectionInversionZipfSampler.of(bits, count, theta);
    return () -> ranks.sample() - 1;
  }

  /** A step that visits all numbers before it returns to the first: close to the golden ratio. */
  private static long strideOver(int count) {
    long stride = Math.max(1, Math.round(count * 0.6180339887498949));
    while (gcd(stride, count) != 1) {
      stride++;
    }
    return stride;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
