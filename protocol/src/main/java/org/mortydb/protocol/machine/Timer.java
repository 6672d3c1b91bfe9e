package org.mortydb.protocol.machine;

/** The timers of the machines. A machine has each at most once. */
public enum Timer {
  /** Replica: asks about undecided transactions, and discards old state. */
  TICK,
  /** Coordinator: sends unanswered requests again. */
  RESEND,
  /** Coordinator: limits the wait for the last votes. */
  SLOW_PATH,
  /** Coordinator: requests votes on the same operations again. */
  REVOTE,
  /** Coordinator: ends the time that the transaction has. */
  DEADLINE,
  /** Delays the answer to a commit until the clock uncertainty has passed. */
  COMMIT_WAIT,
  /** Replica: sends gathered messages together. */
  FLUSH
}
