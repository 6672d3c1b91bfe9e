package org.mortydb.protocol.model;

import java.util.List;

/** How a transaction has ended; each one has exactly one outcome (invariant I1). */
public sealed interface Outcome {

  /** The only abort outcome. */
  Abort ABORT = new Abort();

  /** The outcome that commits one execution. */
  static Commit commit(int execution, List<Integer> participants) {
    return new Commit(execution, participants);
  }

  /**
   * The transaction committed.
   *
   * @param execution the number of the execution that committed
   * @param participants its participants, ascending, none if it only read; at any other partition
   *     that an execution touched, nothing of the transaction remains
   */
  record Commit(int execution, List<Integer> participants) implements Outcome {

    /**
     * Checks the bounds.
     *
     * @throws IllegalArgumentException if the execution is not in 0..{@link Limits#MAX_NUMBER}
     */
    public Commit {
      Limits.checkNumber("execution", execution);
    }
  }

  /** The transaction aborted; nothing of it remains. */
  record Abort() implements Outcome {}
}
