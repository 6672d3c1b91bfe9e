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

  /**
   * Whether the reads that became stale in one turn of the host make for one re-execution, from the
   * earliest of them, instead of one each. What one writer pushes comes together.
   */
  default boolean gathers() {
    return false;
  }

  /** The same, with one re-execution for all reads that became stale in one turn. */
  default ReexecutionPolicy gathering() {
    ReexecutionPolicy limit = this;
    return new ReexecutionPolicy() {
      @Override
      public boolean allows(int reexecutions) {
        return limit.allows(reexecutions);
      }

      @Override
      public boolean awaitsSettledReads() {
        return limit.awaitsSettledReads();
      }

      @Override
      public boolean gathers() {
        return true;
      }
    };
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

      @Override
      public boolean gathers() {
        return limit.gathers();
      }
    };
  }

  /** Re-executes at most {@code limit} times, then aborts. */
  static ReexecutionPolicy upTo(int limit) {
    return reexecutions -> reexecutions < limit;
  }
}
