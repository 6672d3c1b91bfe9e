package org.mortydb.check.jepsen;

/** The types of entries of a history. */
public enum OperationType {
  /** The operation begins. */
  INVOKE,
  /** It succeeded. */
  OK,
  /** It failed and never takes effect. */
  FAIL,
  /** Its result is unknown, and its process has ended. For a fault: it happened. */
  INFO
}
