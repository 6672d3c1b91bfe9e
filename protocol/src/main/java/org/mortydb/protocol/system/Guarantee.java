package org.mortydb.protocol.system;

/**
 * What the committed transactions of a system may see of each other, from the strongest to the
 * weakest. The checkers judge a system by it. In all systems the versions of a key are in the order
 * of the positions of their writers.
 */
public enum Guarantee {
  /** Serializable, and the order of positions is a serial order. */
  SERIALIZABLE_BY_POSITION,
  /** Serializable, in an order that may differ from that of the positions. */
  SERIALIZABLE,
  /**
   * Snapshot isolation: a transaction reads from one snapshot, and of two concurrent transactions
   * that write the same key, at most one commits. Write skew is possible.
   */
  SNAPSHOT_ISOLATION;

  /** Whether every history is serializable. */
  public boolean isSerializable() {
    return this != SNAPSHOT_ISOLATION;
  }
}
