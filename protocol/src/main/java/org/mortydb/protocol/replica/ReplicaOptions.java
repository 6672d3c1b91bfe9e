package org.mortydb.protocol.replica;

/**
 * A replica's limits. All times in microseconds.
 *
 * @param allowedSkewMicros how far a transaction's timestamp may be ahead of the replica's clock
 * @param retentionMicros how long decided transactions and superseded versions are kept; a
 *     transaction that is older when it prepares is abandoned; positive, and longer than any
 *     client's deadline and grace together
 * @param tickMicros the time between two looks after old and undecided transactions; positive
 * @param inquireMicros how long a transaction may stay undecided before others are asked; positive
 * @param maxVersionsPerKey the most committed versions kept of one key, whatever their age; at
 *     least 2
 */
public record ReplicaOptions(
    long allowedSkewMicros,
    long retentionMicros,
    long tickMicros,
    long inquireMicros,
    int maxVersionsPerKey) {

  /** 500 ms skew, 15 s retention, 50 ms tick, 1 s before inquiring, 4,096 versions. */
  public static final ReplicaOptions DEFAULTS =
      new ReplicaOptions(500_000, 15_000_000, 50_000, 1_000_000, 4_096);

  /**
   * @throws IllegalArgumentException when a limit is out of its range
   */
  public ReplicaOptions {
    if (allowedSkewMicros < 0) {
      throw new IllegalArgumentException("the allowed skew must not be negative");
    }
    if (retentionMicros <= 0 || tickMicros <= 0 || inquireMicros <= 0) {
      throw new IllegalArgumentException("retention, tick and inquire times must be positive");
    }
    if (maxVersionsPerKey < 2) {
      throw new IllegalArgumentException("at least 2 versions must be kept per key");
    }
  }
}
