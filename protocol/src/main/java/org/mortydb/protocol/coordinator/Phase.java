package org.mortydb.protocol.coordinator;

/** How far a transaction has come. */
enum Phase {
  /** The application runs, or waits for a read. */
  EXECUTING,
  /** The application has committed. A version that was read may still change, so no votes yet. */
  SETTLING,
  /** Replicas vote. No outcome was proposed, so a re-execution is still possible. */
  PREPARING,
  /**
   * The application has heard of the commit, which is not durable yet: replicas go on voting. There
   * is no other execution any more, and no abort that the application could ask for.
   */
  ACKNOWLEDGED,
  /** The coordinator has proposed an outcome to the home partition, in the client's view. */
  PROPOSING,
  /** A recovery has taken over. The coordinator asks for its outcome. */
  LEARNING,
  /** The outcome is certain. */
  DECIDED;

  /** Whether nobody has heard of an outcome yet: the transaction may still re-execute, or abort. */
  boolean isOpen() {
    return this == EXECUTING || this == SETTLING || this == PREPARING;
  }
}
