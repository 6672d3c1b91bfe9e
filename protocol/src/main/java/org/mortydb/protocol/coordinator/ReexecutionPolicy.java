package org.mortydb.protocol.coordinator;

/**
 * Decides whether a transaction whose read became stale runs again in part, or aborts.
 *
 * @param limit how often a transaction re-executes at most; then it aborts
 * @param awaitsSettledReads whether a commit waits until every version read has settled, as long as
 *     that is not given up; without re-execution there is nothing to gain by it
 * @param gathers whether the reads that became stale in one turn of the host make for one
 *     re-execution, from the earliest of them, instead of one each; what one writer pushes comes
 *     together
 */
public record ReexecutionPolicy(int limit, boolean awaitsSettledReads, boolean gathers) {

  /** Plain MVTSO: a stale read aborts the transaction. */
  public static final ReexecutionPolicy NEVER = upTo(0);

  /** Re-executes at most {@code limit} times, then aborts. */
  public static ReexecutionPolicy upTo(int limit) {
    return new ReexecutionPolicy(limit, limit > 0, false);
  }

  /**
   * @param reexecutions how often the transaction has re-executed so far, 0 or more
   * @return whether it may once more
   */
  public boolean allows(int reexecutions) {
    return reexecutions < limit;
  }

  /** The same, with one re-execution for all reads that became stale in one turn. */
  public ReexecutionPolicy gathering() {
    return new ReexecutionPolicy(limit, awaitsSettledReads, true);
  }

  /** The same, but commits without waiting: for replicas that never tell what has settled. */
  public ReexecutionPolicy withoutSettling() {
    return new ReexecutionPolicy(limit, false, gathers);
  }
}
