package org.mortydb.check.history;

/** What a client was told about the end of a transaction. */
public enum Status {
  /** It committed. */
  COMMITTED,
  /** It aborted and must have left nothing behind. */
  ABORTED,
  /** It may have done either. */
  UNKNOWN
}
