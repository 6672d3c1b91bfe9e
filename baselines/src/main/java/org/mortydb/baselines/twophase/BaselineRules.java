package org.mortydb.baselines.twophase;

/**
 * The rules that make the systems with leaders correct. Production uses {@link #SOUND}. Tests
 * weaken one rule at a time and require that the checkers notice.
 */
public class BaselineRules {

  /** All rules hold. */
  public static final BaselineRules SOUND = new BaselineRules();

  /** The number of replicas that must hold a log entry, including the leader. */
  public int logQuorum(int f) {
    return f + 1;
  }

  /**
   * Locking: a read takes a shared lock, and a transaction prepares only if it still holds the
   * lock.
   */
  public boolean locksReads() {
    return true;
  }

  /** Locking: a snapshot waits for transactions that may still commit below it. */
  public boolean waitsForPrepared() {
    return true;
  }

  /**
   * Locking: a follower serves a snapshot only after its leader has promised no commits below it.
   */
  public boolean waitsForSafeTime() {
    return true;
  }

  /** Optimistic: every version read must still be the newest. */
  public boolean validatesReads() {
    return true;
  }

  /** Optimistic: no conflict with a prepared transaction. */
  public boolean checksPrepared() {
    return true;
  }

  /** Snapshot isolation: all reads of a transaction are at one timestamp. */
  public boolean keepsSnapshot() {
    return true;
  }

  /** Snapshot isolation: no transaction writes a key that was written after its snapshot. */
  public boolean checksUpdates() {
    return true;
  }

  /** Snapshot isolation: a transaction commits above its snapshot. */
  public boolean commitsAboveSnapshot() {
    return true;
  }

  /** Serializable snapshot isolation: a writer learns who has read the version that it replaces. */
  public boolean marksReads() {
    return true;
  }

  /** Serializable snapshot isolation: conflicts at one partition count at the others. */
  public boolean spreadsConflicts() {
    return true;
  }
}
