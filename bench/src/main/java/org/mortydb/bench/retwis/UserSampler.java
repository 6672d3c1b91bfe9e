package org.mortydb.bench.retwis;

import java.util.random.RandomGenerator;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;

/** Draws users. Not safe for use by several threads. */
@FunctionalInterface
public interface UserSampler {

  /** A user, 0 to the number of users - 1. */
  int next();

  /** Every user is as likely as any other. */
  static UserSampler uniform(RandomGenerator random, int users) {
    return () -> random.nextInt(users);
  }

  /**
   * The i-th most popular user is drawn with a probability proportional to i to the power of minus
   * {@code theta}. Popularity is scattered over the ids.
   *
   * @param theta greater than 0
   */
  static UserSampler zipf(RandomGenerator random, int users, double theta) {
    UniformRandomProvider bits = random::nextLong;
    DiscreteSampler ranks = RejectionInversionZipfSampler.of(bits, users, theta);
    long stride = strideOver(users);
    return () -> (int) ((ranks.sample() - 1) * stride % users);
  }

  /** A step that visits all users before it returns to the first: near the golden section. */
  private static long strideOver(int users) {
    long stride = Math.max(1, Math.round(users * 0.6180339887498949));
    while (gcd(stride, users) != 1) {
      stride++;
    }
    return stride;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
