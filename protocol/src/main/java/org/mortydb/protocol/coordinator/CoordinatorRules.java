package org.mortydb.protocol.coordinator;

/**
 * The rules of docs/protocol.md, section 4, that a coordinator's decisions rest on. Production uses
 * {@link #SOUND}; tests weaken one at a time and require that the checkers notice.
 */
public class CoordinatorRules {

  /** The rules as proven. */
  public static final CoordinatorRules SOUND = new CoordinatorRules();

  /** Votes needed in a partition for the slow path, and acceptances of a Finalize. */
  public int slowQuorum(int f) {
    return f + 1;
  }

  /** Votes needed in a partition for the fast path. */
  public int fastQuorum(int f) {
    return 2 * f + 1;
  }

  /** Whether votes for an execution that was given up are ignored. */
  public boolean ignoresVotesForOldExecutions() {
    return true;
  }

  /** Whether a vote on condition counts only when the condition is known to hold. */
  public boolean mindsConditions() {
    return true;
  }

  /** Whether a final abandon aborts at once: only if a single execution was ever prepared. */
  public boolean mayAbortAtOnce(int preparedExecutions) {
    return preparedExecutions == 1;
  }
}
