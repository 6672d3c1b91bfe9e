package org.mortydb.check.jepsen;

/** What an entry of a history says. */
public enum OperationType {
  /** The operation begins. */
  INVOKE,
  /** It took place. */
  OK,
  /** It did not, and never will. */
  FAIL,
  /** Either may be the case; its process does nothing more. Of faults: that they happened. */
  INFO
}
