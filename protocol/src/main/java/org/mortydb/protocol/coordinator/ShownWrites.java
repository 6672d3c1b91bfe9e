package org.mortydb.protocol.coordinator;

/**
 * The writes that replicas are shown while their transaction still executes (docs/protocol.md,
 * section 2, Put). The Prepare shows all others.
 */
public enum ShownWrites {
  /** All of them, as in the paper. */
  ALL,

  /**
   * Those of keys that the transaction has read or scanned. Others that read such a key would read
   * it past the write, and one of both would have to execute again or abort. A key that is written
   * without a read is most often a new one, which nobody waits for: to show it would cost a message
   * to each replica.
   */
  OF_KEYS_READ,

  /** None; only to measure the value of showing them. */
  NONE
}
