package org.mortydb.baselines.twophase;

/**
 * The rules that the systems with leaders rest on. Production uses {@link #SOUND}; tests weaken one
 * at a time and require that the checkers notice.
 */
public class BaselineRules {

  /** All of them. */
  public static final BaselineRules SOUND = new BaselineRules();

  /** How many replicas must hold a log entry, the leader included. */
  public int logQuorum(int f) {
    return f + 1;
  }

  /** Locking: a read takes a shared lock, and a transaction prepares only if it still has it. */
  public boolean locksReads() {
    return true;
  }

  /** Locking: a snapshot waits for transactions that may yet commit below it. */
  public boolean waitsForPrepared() {
    return true;
  }

  /** Locking: a follower serves a snapshot only when its leader has promised nothing below it. */
  public boolean waitsForSafeTime() {
    return true;
  }

  /** Optimistic: what was read must still be the newest version. */
  public boolean validatesReads() {
    return true;
  }

  /** Optimistic: no conflict with a transaction that is prepared. */
  public boolean checksPrepared() {
    return true;
  }
}
