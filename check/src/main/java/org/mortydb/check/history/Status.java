package org.mortydb.check.history;

/** The outcome of a transaction as its client learnt it. */
public enum Status {
  /** It committed. */
  COMMITTED,
  /** It aborted and must not have any effect. */
  ABORTED,
  /** It may have committed or aborted. */
  UNKNOWN
}
