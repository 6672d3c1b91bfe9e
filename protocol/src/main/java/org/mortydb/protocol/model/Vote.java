package org.mortydb.protocol.model;

import java.util.List;

/**
 * The vote of a replica on one execution (docs/protocol.md, section 3). A replica votes once on
 * each execution; a conditional vote is followed by its decision.
 */
public sealed interface Vote {

  /** Whether this is a vote to commit, conditional or not. */
  default boolean isCommit() {
    return this instanceof Commit;
  }

  /** Whether this is a conditional vote to commit. */
  default boolean isOnCondition() {
    return this instanceof Commit commit && commit.onCondition();
  }

  /** The vote to commit. */
  Commit COMMIT = new Commit(false);

  /** The vote to commit if every version that the execution has read at this partition commits. */
  Commit COMMIT_ON_CONDITION = new Commit(true);

  /**
   * The execution is prepared at the voting replica.
   *
   * @param onCondition whether the vote holds only if every version that the execution has read at
   *     this partition commits
   */
  record Commit(boolean onCondition) implements Vote {}

  /**
   * The execution is not prepared at the voting replica.
   *
   * @param isFinal whether f+1 replicas of the partition can never hold a vote to commit this
   *     execution, because it conflicts with a committed transaction; if false, the conflict may
   *     vanish. With {@link Reason#WRITE_MISSED}, only the voting replica will never vote to
   *     commit, and f+1 such votes are final together
   * @param reason the rule that failed
   * @param fresh the versions that stale reads should see, for an immediate re-execution
   */
  record Abandon(boolean isFinal, Reason reason, List<VersionedValue> fresh) implements Vote {}

  /** Why a replica abandons an execution; the rules are those of docs/protocol.md, section 3. */
  enum Reason {
    /**
     * The transaction is at or below the fence (rule 2), or below the floor of a key (section 6).
     */
    TRUNCATED,
    /** A version read has aborted, or its writer has replaced it (rule 4). */
    DIRTY_READ,
    /** There is a version between the one read and the reader (rule 5). */
    MISSED_WRITE,
    /** A later reader has missed a write of this execution (rule 6). */
    WRITE_MISSED,
    /**
     * A later reader that has committed has read a key of this execution as absent (rule 6). Only a
     * still later transaction can write the key.
     */
    READ_AS_ABSENT,
    /**
     * A later read-only execution, whose reads are registered here, has missed a write of this
     * execution (rule 6). It may have committed or not.
     */
    REGISTERED_READ,
    /** The coordinator has given this execution up (rule 1). */
    DROPPED,
    /** The transaction is too far ahead of the replica's clock (rule 2). */
    CLOCK_AHEAD,
    /**
     * A change of the map moves, or has moved, what this execution has read or written (section
     * 15).
     */
    SEALED,
    /** A merge does not fit the committed value that it would change (section 17). */
    MERGE_FAILED,
    /** A key has too many merges above the watermark (section 17). */
    MERGE_LIMIT
  }
}
