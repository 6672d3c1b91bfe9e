package org.mortydb.protocol.replica;

/**
 * The rules of docs/protocol.md, section 3, that a replica's votes rest on. Production uses {@link
 * #SOUND}; tests weaken one at a time and require that the checkers notice.
 */
public class ReplicaRules {

  /** The rules as proven. */
  public static final ReplicaRules SOUND = new ReplicaRules();

  /** Rule 3: a vote on what is undecided waits for it, or is on condition. */
  public boolean waitsForDependencies() {
    return true;
  }

  /** Section 5: a promise tells of a vote on condition when that is decided. */
  public boolean promisesWhenDecided() {
    return true;
  }

  /** Rule 4: a version read must have been committed, and with the value that was read. */
  public boolean checksDirtyReads() {
    return true;
  }

  /** Rule 5: no write between the version read and the reader. */
  public boolean checksMissedWrites() {
    return true;
  }

  /** Rule 6: no later reader that read past a write of ours. */
  public boolean checksWritesMissed() {
    return true;
  }

  /** Rule 5 for the keys of a scanned range that the scan has not shown. */
  public boolean checksMissedInserts() {
    return true;
  }

  /** Rule 6 for readers that have scanned the key's place and not seen it. */
  public boolean checksInsertsMissed() {
    return true;
  }

  /** Rule 1: a replica that voted on an execution votes on no lower one. */
  public boolean supersedes() {
    return true;
  }

  /** Section 8: a vote, promise or acceptance leaves when it is durable. */
  public boolean forcesBeforeAnswering() {
    return true;
  }

  /** Section 5: a recovery asks the other participants for promises too. */
  public boolean promisesAtOtherParticipants() {
    return true;
  }

  /** Section 6: a replica fences a watermark before it tells what it knows below it. */
  public boolean fencesWhenTruncating() {
    return true;
  }

  /** Section 8: the fence and the watermark outlive a restart. */
  public boolean remembersFence() {
    return true;
  }

  /** Section 9: a replica that remembers nothing serves when all below its fence is decided. */
  public boolean settlesBeforeServing() {
    return true;
  }

  /** Section 11: a cut is read only where its versions were held before any could be forgotten. */
  public boolean holdsCuts() {
    return true;
  }
}
