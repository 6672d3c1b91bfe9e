package org.mortydb.protocol.coordinator;

/** Decides whether a transaction whose read became stale runs again in part, or aborts. */
@FunctionalInterface
public interface ReexecutionPolicy {

  /** Plain MVTSO: a stale read aborts the transaction. */
  ReexecutionPolicy NEVER = reexecutions -> false;

  /**
   * @param reexecutions how often the transaction has re-executed so far, 0 or more
   * @return whether it may once more
   */
  boolean allows(int reexecutions);

  /**
   * Whether a commit waits until every version read has settled, as long as that is not given up.
   * Without re-execution there is nothing to gain by it.
   */
  default boolean awaitsSettledReads() {
    return allows(0);
  }

  /** The same, but commits without waiting: for replicas that never tell what has settled. */
  default ReexecutionPolicy withoutSettling() {
    ReexecutionPolicy limit = this;
    return new ReexecutionPolicy() {
      @Override
      public boolean allows(int reexecutions) {
        return limit.allows(reexecutions);
      }

      @Override
      public boolean awaitsSettledReads() {
        return false;
      }
    };
  }

  /** Re-executes at most {@code limit} times, then aborts. */
  static ReexecutionPolicy upTo(int limit) {
    return reexecutions -> reexecutions < limit;
  }
}
