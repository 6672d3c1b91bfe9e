package org.mortydb.client;

/**
 * Deadline and retries of a transaction.
 *
 * @param deadlineMicros microseconds from the call until the client gives up a transaction that is
 *     not decided, over all attempts and with the time spent in the queue; positive
 * @param retry when the client tries again
 * @param readOnly whether the transaction promises to write nothing, which some systems run faster;
 *     a write then throws {@link IllegalStateException}
 */
public record TransactionOptions(long deadlineMicros, RetryPolicy retry, boolean readOnly) {

  /** A deadline of 10 s, {@link RetryPolicy#DEFAULTS}, may write. */
  public static final TransactionOptions DEFAULTS =
      new TransactionOptions(10_000_000, RetryPolicy.DEFAULTS);

  /**
   * @throws IllegalArgumentException when the deadline is not positive
   */
  public TransactionOptions {
    if (deadlineMicros <= 0) {
      throw new IllegalArgumentException(
          "deadlineMicros must be positive, but is " + deadlineMicros);
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
