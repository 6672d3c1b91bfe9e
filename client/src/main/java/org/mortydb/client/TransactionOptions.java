package org.mortydb.client;

/**
 * How long and how often a transaction may try.
 *
 * @param deadlineMicros microseconds from the call until an undecided transaction is given up, over
 *     all attempts and with the time spent in the queue; positive
 * @param retry when to try again
 */
public record TransactionOptions(long deadlineMicros, RetryPolicy retry) {

  /** 10 s, {@link RetryPolicy#DEFAULTS}. */
  public static final TransactionOptions DEFAULTS =
      new TransactionOptions(10_000_000, RetryPolicy.DEFAULTS);

  /**
   * @throws IllegalArgumentException when the deadline is not positive
   */
  public TransactionOptions {
    if (deadlineMicros <= 0) {
      throw new IllegalArgumentException("the deadline must be positive, is " + deadlineMicros);
    }
  }

  /** The same with another deadline in microseconds. */
  public TransactionOptions withDeadlineMicros(long micros) {
    return new TransactionOptions(micros, retry);
  }

  /** The same with another retry policy. */
  public TransactionOptions withRetry(RetryPolicy policy) {
    return new TransactionOptions(deadlineMicros, policy);
  }
}
