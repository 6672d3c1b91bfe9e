package org.mortydb.protocol.machine;

/** The timers of the machines. A machine has at most one of each at a time. */
public enum Timer {
  /** Replica: looks after undecided transactions, and drops what is old. */
  TICK,
  /** Coordinator: sends again what was not answered. */
  RESEND,
  /** Coordinator: waits for the last votes before it takes the slow path. */
  SLOW_PATH,
  /** Coordinator: prepares the same execution anew after a tentative abandon. */
  REVOTE,
  /** Coordinator: the transaction's deadline. */
  DEADLINE,
  /** Delays an answer until the clock uncertainty has passed. */
  COMMIT_WAIT,
  /** Replica: sends what was gathered to be sent together. */
  FLUSH
}
