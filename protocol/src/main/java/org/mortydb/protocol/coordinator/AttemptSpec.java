package org.mortydb.protocol.coordinator;

/**
 * What a coordinator is told of the attempt that it serves.
 *
 * @param timeMicros the attempt's timestamp in microseconds, strictly monotonic per client
 * @param clientId the client process
 * @param ageMicros the timestamp of the transaction's first attempt, which later ones keep; at most
 *     {@code timeMicros}
 * @param readOnly whether the application has declared that it writes nothing
 */
public record AttemptSpec(long timeMicros, long clientId, long ageMicros, boolean readOnly) {

  /** The first attempt at a transaction that may write. */
  public static AttemptSpec first(long timeMicros, long clientId) {
    return new AttemptSpec(timeMicros, clientId, timeMicros, false);
  }

  /** Whether an earlier attempt has failed. */
  public boolean isRetry() {
    return ageMicros != timeMicros;
  }
}
