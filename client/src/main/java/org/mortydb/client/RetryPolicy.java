package org.mortydb.client;

import java.util.random.RandomGenerator;

/**
 * How often the client retries a transaction that lost a conflict, and how long it backs off
 * before. The wait after attempt k is uniform in 0 to min(2^(k-1) · base, cap): full jitter, which
 * spreads contenders better than any fixed share of randomness. Every attempt is a new transaction
 * with a new timestamp. The deadline of {@link TransactionOptions} covers all of them.
 *
 * @param maxAttempts the most attempts, at least 1
 * @param baseMicros the upper bound of the first wait in microseconds, 0 or more
 * @param capMicros the upper bound of any wait in microseconds, not below {@code baseMicros}
 */
public record RetryPolicy(int maxAttempts, long baseMicros, long capMicros) {

  /** One attempt only. */
  public static final RetryPolicy NEVER = new RetryPolicy(1, 0, 0);

  /** At most 20 attempts, waits bounded by 1 ms at first and by 250 ms at last. */
  public static final RetryPolicy DEFAULTS = new RetryPolicy(20, 1_000, 250_000);

  /**
   * @throws IllegalArgumentException when a parameter is out of its range
   */
  public RetryPolicy {
    if (maxAttempts < 1) {
      throw new IllegalArgumentException("maxAttempts must be at least 1, is " + maxAttempts);
    }
    if (baseMicros < 0 || capMicros < baseMicros) {
      throw new IllegalArgumentException(
          "0 <= baseMicros <= capMicros must hold, but they are " + baseMicros + ", " + capMicros);
    }
  }

  /**
   * Draws the wait before the next attempt.
   *
   * @param failedAttempts attempts so far, at least 1
   * @return microseconds, 0 or more
   */
  public long backoffMicros(int failedAttempts, RandomGenerator random) {
    int doublings = failedAttempts - 1;
    boolean capped = doublings >= Long.numberOfLeadingZeros(baseMicros | 1) - 1;
    long bound = capped ? capMicros : Math.min(baseMicros << doublings, capMicros);
    return random.nextLong(Math.min(bound, Long.MAX_VALUE - 1) + 1);
  }
}
