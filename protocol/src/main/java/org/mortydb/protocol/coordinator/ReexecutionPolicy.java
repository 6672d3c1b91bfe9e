package org.mortydb.protocol.coordinator;

/**
 * Decides whether a transaction re-executes or aborts when one of its reads becomes stale.
 *
 * @param limit the most re-executions of a transaction; after that it aborts
 * @param awaitsSettledReads whether votes are requested only when every version read has settled,
 *     or a timeout has passed; without re-execution the wait gains nothing
 * @param gathers whether all reads that become stale in one batch of messages cause one
 *     re-execution, from the earliest of them, instead of one each; the pushes for one writer
 *     arrive together
 */
public record ReexecutionPolicy(int limit, boolean awaitsSettledReads, boolean gathers) {

  /** Plain MVTSO: a stale read aborts the transaction. */
  public static final ReexecutionPolicy NEVER = upTo(0);

  /** Re-executes at most {@code limit} times, then aborts. */
  public static ReexecutionPolicy upTo(int limit) {
    return new ReexecutionPolicy(limit, limit > 0, false);
  }

  /**
   * Decides on one more re-execution.
   *
   * @param reexecutions how often the transaction has re-executed so far, 0 or more
   * @return whether it may re-execute once more
   */
  public boolean allows(int reexecutions) {
    return reexecutions < limit;
  }

  /** Returns the same policy, with one re-execution for each batch of messages. */
  public ReexecutionPolicy gathering() {
    return new ReexecutionPolicy(limit, awaitsSettledReads, true);
  }

  /** Returns the same policy without the wait, for replicas that never push settled versions. */
  public ReexecutionPolicy withoutSettling() {
    return new ReexecutionPolicy(limit, false, gathers);
  }
}
