package org.mortydb.protocol.replica;

/**
 * The safety rules of docs/protocol.md, sections 3 to 11, that a replica follows. Production uses
 * {@link #SOUND}. Tests switch one rule off at a time, and require that a checker finds a
 * violation.
 */
public class ReplicaRules {

  /** All rules hold. */
  public static final ReplicaRules SOUND = new ReplicaRules();

  /** Rule 3: a vote waits for an undecided dependency, or is conditional. */
  public boolean waitsForDependencies() {
    return true;
  }

  /** Section 5: a promise waits until the condition of a vote is decided. */
  public boolean promisesWhenDecided() {
    return true;
  }

  /** Rule 4: a version read must commit with the value that was read. */
  public boolean checksDirtyReads() {
    return true;
  }

  /** Rule 5: no write between the version read and the reader. */
  public boolean checksMissedWrites() {
    return true;
  }

  /** Rule 6: no later reader has missed the write. */
  public boolean checksWritesMissed() {
    return true;
  }

  /** Rule 5 for the keys of a scanned range that the scan does not list. */
  public boolean checksMissedInserts() {
    return true;
  }

  /** Rule 6 for readers that have scanned a range with the key and do not list it. */
  public boolean checksInsertsMissed() {
    return true;
  }

  /** Section 3: a replica that registers the reads of a read-only execution counts them. */
  public boolean registersReads() {
    return true;
  }

  /** Section 3: reads are registered once every version read has committed here. */
  public boolean registersWhenDecided() {
    return true;
  }

  /** Section 3: a restarted replica votes on no writer below a reader that it has forgotten. */
  public boolean remembersRegistrations() {
    return true;
  }

  /** Section 8: a vote that is on a condition is not told before it is durable. */
  public boolean writesWhenDecided() {
    return true;
  }

  /** Section 8: a vote is told before it is durable only if a restart will know of such votes. */
  public boolean boundsWrittenVotes() {
    return true;
  }

  /** Rule 1: a replica votes on no execution below the highest one that it has seen. */
  public boolean supersedes() {
    return true;
  }

  /** Section 8: a vote, promise or acceptance leaves once it is durable. */
  public boolean forcesBeforeAnswering() {
    return true;
  }

  /** Section 5: a recovery asks the other participants for promises too. */
  public boolean promisesAtOtherParticipants() {
    return true;
  }

  /** Section 6: a replica fences a watermark before it reports what it knows below it. */
  public boolean fencesWhenTruncating() {
    return true;
  }

  /** Section 8: the fence and the watermark outlive a restart. */
  public boolean remembersFence() {
    return true;
  }

  /** Section 9: a replica without memory serves once everything below its fence is decided. */
  public boolean settlesBeforeServing() {
    return true;
  }

  /** Section 15: nothing above a seal gets a vote. */
  public boolean seals() {
    return true;
  }

  /** Section 15: a replica that has voted above the cut does not seal. */
  public boolean sealsBelowVotes() {
    return true;
  }

  /** Section 15: a seal is acknowledged once the clock has come near its cut. */
  public boolean acknowledgesSealsLate() {
    return true;
  }

  /** Section 15: a restart remembers the seal. */
  public boolean remembersSeals() {
    return true;
  }

  /** Section 15: a replica that joins takes over the seals of others. */
  public boolean joinsWithSeals() {
    return true;
  }

  /** Section 15: a new partition serves once it holds what was committed up to the cut. */
  public boolean servesWhatHasArrived() {
    return true;
  }

  /** Section 17: a merge is folded once nothing below it can commit. */
  public boolean foldsBelowWatermark() {
    return true;
  }

  /** Section 17: an answer names every version that its value is made of. */
  public boolean namesMerges() {
    return true;
  }

  /** Section 11: a cut is read only where it was held before any of its versions was discarded. */
  public boolean holdsCuts() {
    return true;
  }
}
