package org.mortydb.protocol.model;

/** What became of a transaction: exactly one outcome each (invariant I1). */
public sealed interface Outcome {

  /** The only abort outcome. */
  Abort ABORT = new Abort();

  /** The outcome that commits one execution. */
  static Commit commit(int execution) {
    return new Commit(execution);
  }

  /**
   * The transaction committed.
   *
   * @param execution the number of the one execution that did
   */
  record Commit(int execution) implements Outcome {}

  /** The transaction left nothing behind. */
  record Abort() implements Outcome {}
}
