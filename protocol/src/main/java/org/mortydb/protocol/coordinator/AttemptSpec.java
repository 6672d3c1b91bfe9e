package org.mortydb.protocol.coordinator;

import java.util.function.Predicate;
import org.mortydb.protocol.model.Key;

/**
 * One attempt at a transaction, as its coordinator needs to know it.
 *
 * @param timeMicros the attempt's timestamp in microseconds, unique per client
 * @param clientId the client process
 * @param ageMicros the timestamp of the transaction's first attempt, which later attempts keep; at
 *     most {@code timeMicros}
 * @param readOnly whether the application has declared that the transaction writes nothing
 * @param contended whether others have lately read a key past a write of this client, which
 *     therefore aborted; may also hold for other keys
 * @param async whether the application may hear of the commit once the votes are written, before
 *     they are durable
 * @param roundTripMicros the round trip to the farthest region in microseconds, 0 or more; 0 if it
 *     is not known
 */
public record AttemptSpec(
    long timeMicros,
    long clientId,
    long ageMicros,
    boolean readOnly,
    Predicate<Key> contended,
    boolean async,
    long roundTripMicros) {

  /**
   * @throws IllegalArgumentException if the round trip is negative
   */
  public AttemptSpec {
    if (roundTripMicros < 0) {
      throw new IllegalArgumentException("a round trip cannot take " + roundTripMicros + " us");
    }
  }

  /** Creates an attempt whose commit is durable when the application hears of it. */
  public AttemptSpec(
      long timeMicros, long clientId, long ageMicros, boolean readOnly, Predicate<Key> contended) {
    this(timeMicros, clientId, ageMicros, readOnly, contended, false, 0);
  }

  /** Creates an attempt that knows of no contended keys. */
  public AttemptSpec(long timeMicros, long clientId, long ageMicros, boolean readOnly) {
    this(timeMicros, clientId, ageMicros, readOnly, key -> false);
  }

  /** Returns the first attempt at a transaction that may write. */
  public static AttemptSpec first(long timeMicros, long clientId) {
    return new AttemptSpec(timeMicros, clientId, timeMicros, false);
  }

  /** Whether an earlier attempt has failed. */
  public boolean isRetry() {
    return ageMicros != timeMicros;
  }
}
