package org.mortydb.protocol.model;

import java.util.List;

/**
 * A replica's verdict on one execution at one partition; given once per execution, but that one on
 * condition is followed by what has become of it.
 */
public sealed interface Vote {

  /** Whether this is the vote to commit, on condition or not. */
  default boolean isCommit() {
    return this instanceof Commit;
  }

  /** Whether this is the vote to commit on condition. */
  default boolean isOnCondition() {
    return this instanceof Commit commit && commit.onCondition();
  }

  /** The vote to commit: the execution is recorded as prepared at the voting replica. */
  Commit COMMIT = new Commit(false);

  /** The vote to commit if every version that was read at this partition commits. */
  Commit COMMIT_ON_CONDITION = new Commit(true);

  /**
   * The execution is prepared at the voting replica.
   *
   * @param onCondition whether something that it read at this partition was undecided there; then
   *     the vote stands if every version that it read at this partition commits, and falls if not
   *     (docs/protocol.md, section 3)
   */
  record Commit(boolean onCondition) implements Vote {}

  /**
   * The execution is not prepared at the voting replica.
   *
   * @param isFinal true when f+1 replicas of the partition can never hold a commit vote for this
   *     execution (it conflicts with a committed transaction); false when the conflict may vanish
   * @param reason the rule that failed
   * @param fresh newer versions for the stale reads, with which the coordinator re-executes at once
   */
  record Abandon(boolean isFinal, Reason reason, List<VersionedValue> fresh) implements Vote {}

  /** Why an execution was abandoned, and in which rule of docs/protocol.md, section 3. */
  enum Reason {
    /** The transaction is at or below the replica's truncation fence (rule 2). */
    TRUNCATED,
    /** A version read was aborted, or replaced by another value of its writer (rule 4). */
    DIRTY_READ,
    /** A version between the one read and the reader exists (rule 5). */
    MISSED_WRITE,
    /** A later reader has read past a write of this execution (rule 6). */
    WRITE_MISSED,
    /** The coordinator gave this execution up. */
    DROPPED,
    /**
     * The transaction is further ahead of the replica's clock than the allowed skew (section 8).
     */
    CLOCK_AHEAD
  }
}
