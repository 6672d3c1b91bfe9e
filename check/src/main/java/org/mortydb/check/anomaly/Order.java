package org.mortydb.check.anomaly;

/** What a serial order must respect beyond what the transactions saw of each other. */
public enum Order {
  /** Nothing: plain serializability, which is what the store promises. */
  NONE,
  /** The transactions of one session in their order: strong session serializability. */
  SESSION,
  /** A transaction that ended before another began comes first: strict serializability. */
  REAL_TIME
}
