package org.mortydb.check.jepsen;

/** A property of histories that the check of some workloads leaves out. */
public enum Aspect {
  /** Whether each transaction's reads agree with each other and with its own writes. */
  INTERNAL_CONSISTENCY("internal consistency"),
  /** Whether searches saw all rows that matched. */
  PHANTOMS("phantoms"),
  /** Whether reads and writes of single keys form a cycle. */
  DEPENDENCIES("dependencies between transactions"),
  /** The order of writes by transactions that did not read the key. */
  BLIND_WRITES("order of blind writes"),
  /** Whether transactions of several keys are atomic. */
  TRANSACTIONS("transactions of several keys"),
  /** Whether the serial order is that of the transactions' timestamps. */
  TIMESTAMP_ORDER("timestamp order"),
  /** Whether the serial order respects the order of each session. */
  SESSION_ORDER("session order"),
  /** Whether the serial order respects real time. */
  REAL_TIME("real time");

  private final String label;

  Aspect(String label) {
    this.label = label;
  }

  /** The printed name. */
  @Override
  public String toString() {
    return label;
  }
}
