package org.mortydb.check.anomaly;

/** An additional order that the serial order must respect. */
public enum Order {
  /** None: plain serializability, the guarantee of the store. */
  NONE,
  /** The order of each session: strong session serializability. */
  SESSION,
  /** Real time, from end to begin: strict serializability. */
  REAL_TIME
}
