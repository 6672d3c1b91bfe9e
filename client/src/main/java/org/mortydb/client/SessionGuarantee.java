package org.mortydb.client;

/** What the transactions of a {@link ClientSession} promise about each other, at all levels. */
public enum SessionGuarantee {
  /** A transaction sees what earlier ones of the session have committed. */
  READ_YOUR_WRITES,
  /** A transaction sees no older state, and no older version, than earlier ones of the session. */
  MONOTONIC_READS
}
