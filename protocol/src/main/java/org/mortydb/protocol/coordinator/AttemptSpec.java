package org.mortydb.protocol.coordinator;

/**
 * One attempt at a transaction, as its coordinator needs to know it.
 *
 * @param timeMicros the attempt's timestamp in microseconds, unique per client
 * @param clientId the client process
 * @param ageMicros the timestamp of the transaction's first attempt, which later attempts keep; at
 *     most {@code timeMicros}
 * @param readOnly whether the application has declared that the transaction writes nothing
 */
public record AttemptSpec(long timeMicros, long clientId, long ageMicros, boolean readOnly) {

  /** Returns the first attempt at a transaction that may write. */
  public static AttemptSpec first(long timeMicros, long clientId) {
    return new AttemptSpec(timeMicros, clientId, timeMicros, false);
  }

  /** Whether an earlier attempt has failed. */
  public boolean isRetry() {
    return ageMicros != timeMicros;
  }
}
