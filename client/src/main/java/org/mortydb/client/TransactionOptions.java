package org.mortydb.client;

/**
 * How long and how often a transaction may try.
 *
 * @param deadlineMicros microseconds from the call until an undecided transaction is given up, over
 *     all attempts and with the time spent in the queue; positive
 * @param retry when to try again
 * @param readOnly whether the transaction promises to write nothing, which some systems reward; a
 *     write then throws {@link IllegalStateException}
 */
public record TransactionOptions(long deadlineMicros, RetryPolicy retry, boolean readOnly) {

  /** 10 s, {@link RetryPolicy#DEFAULTS}, may write. */
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

  /** Options of transactions that may write. */
  public TransactionOptions(long deadlineMicros, RetryPolicy retry) {
    this(deadlineMicros, retry, false);
  }

  /** The same with another deadline in microseconds. */
  public TransactionOptions withDeadlineMicros(long micros) {
    return new TransactionOptions(micros, retry, readOnly);
  }

  /** The same with another retry policy. */
  public TransactionOptions withRetry(RetryPolicy policy) {
    return new TransactionOptions(deadlineMicros, policy, readOnly);
  }

  /** The same for transactions that write nothing. */
  public TransactionOptions forReading() {
    return new TransactionOptions(deadlineMicros, retry, true);
  }
}
