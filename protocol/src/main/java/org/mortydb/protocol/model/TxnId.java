package org.mortydb.protocol.model;

import org.jspecify.annotations.Nullable;

/**
 * A transaction's identity and its place in the serial order.
 *
 * <p>A client chooses it once, when the transaction begins (the a priori order of the paper), and
 * never changes it. Clock skew and network delay cost re-executions or a retry under a new id,
 * never correctness.
 *
 * <p>Ids are ordered by {@code timeMicros}, then by {@code clientId}. The home partition travels
 * with the id, so that every process knows where the outcome is logged. It is part of the identity:
 * with another home it is another transaction. Otherwise whoever names an id with a wrong home, say
 * as a version read, could have its outcome agreed on twice. A client that follows the protocol
 * uses each time once, so the home decides the order of hostile ids only: the lower home is later.
 * So home 0 and the highest client make the latest id of a time.
 *
 * @param timeMicros the client's clock at begin in microseconds, strictly monotonic per client;
 *     positive, 0 only in {@link #INITIAL}; at most {@link Limits#MAX_TIME_MICROS}
 * @param clientId the client process, unique per incarnation (any 64-bit value)
 * @param home the partition of the transaction's first operation, which logs the outcome; 0 to
 *     {@link Limits#MAX_PARTITIONS} - 1
 */
public record TxnId(long timeMicros, long clientId, int home) implements Comparable<TxnId> {

  /**
   * Checks the bounds.
   *
   * @throws IllegalArgumentException if a number is out of its bounds
   */
  public TxnId {
    if (timeMicros < 0 || timeMicros > Limits.MAX_TIME_MICROS) {
      throw new IllegalArgumentException(
          "the time " + timeMicros + " is not in 0.." + Limits.MAX_TIME_MICROS);
    }
    if (home < 0 || home >= Limits.MAX_PARTITIONS) {
      throw new IllegalArgumentException(
          "the home partition " + home + " is not in 0.." + (Limits.MAX_PARTITIONS - 1));
    }
  }

  /** The writer of the initial, absent version of every key; below every real transaction. */
  public static final TxnId INITIAL = new TxnId(0, 0, 0);

  /** At or above every transaction. */
  public static final TxnId HIGHEST = new TxnId(Limits.MAX_TIME_MICROS, Long.MAX_VALUE, 0);

  @Override
  public int compareTo(TxnId other) {
    int byTime = Long.compare(timeMicros, other.timeMicros);
    if (byTime != 0) {
      return byTime;
    }
    int byClient = Long.compare(clientId, other.clientId);
    return byClient != 0 ? byClient : Integer.compare(other.home, home);
  }

  /** Whether this transaction comes before {@code other} in the serial order. */
  public boolean isBefore(TxnId other) {
    return isBefore(timeMicros, clientId, home, other);
  }

  /** Whether the transaction with these parts comes before {@code other} in the serial order. */
  public static boolean isBefore(long timeMicros, long clientId, int home, TxnId other) {
    if (timeMicros != other.timeMicros) {
      return timeMicros < other.timeMicros;
    }
    return clientId != other.clientId ? clientId < other.clientId : home > other.home;
  }

  /** The same time of the same client with home 0, for those who cannot know the home. */
  public TxnId withoutHome() {
    return home == 0 ? this : new TxnId(timeMicros, clientId, 0);
  }

  /** Whether this transaction comes after {@code other} in the serial order. */
  public boolean isAfter(TxnId other) {
    return other.isBefore(this);
  }

  /**
   * A place in the serial order at another time, for systems that do not order transactions by
   * their ids. Each transaction has another one at the same time: a number that is made of the
   * whole id takes the place of the client.
   */
  public TxnId at(long micros) {
    long mixed = (timeMicros ^ Long.rotateLeft(clientId, 32)) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L;
    return new TxnId(micros, mixed ^ (mixed >>> 32), home);
  }

  @Override
  public boolean equals(@Nullable Object o) {
    return o instanceof TxnId other
        && timeMicros == other.timeMicros
        && clientId == other.clientId
        && home == other.home;
  }

  @Override
  public int hashCode() {
    // Without the home: two ids that differ in it alone are rare.
    long h = timeMicros * 0x9E3779B97F4A7C15L + clientId;
    h *= 0xC2B2AE3D27D4EB4FL;
    return (int) (h ^ (h >>> 32));
  }

  /** {@code time.client@home}, the client in hexadecimal; the form used in logs and messages. */
  @Override
  public String toString() {
    return timeMicros + "." + Long.toHexString(clientId) + "@" + home;
  }
}
