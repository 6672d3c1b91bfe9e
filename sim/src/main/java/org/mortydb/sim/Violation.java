package org.mortydb.sim;

/**
 * Something that must never be, and was.
 *
 * @param rule what was broken
 * @param explanation for people
 */
public record Violation(Rule rule, String explanation) {

  /** What must hold; the invariants are those of docs/protocol.md. */
  public enum Rule {
    /** I1: one outcome per transaction. */
    ONE_OUTCOME("I1, one outcome per transaction"),
    /** I2: a committed execution is held by f+1 replicas of each participant. */
    HELD("I2, a committed execution is held durably by f+1 replicas of each participant"),
    /** I5: an acknowledged commit is never lost. */
    LOST("I5, an acknowledged commit is never lost"),
    /** I6: once faults are over, everything becomes decided. */
    LIVENESS("I6, once faults are over everything becomes decided"),
    /** What the slow path decides was accepted by f+1 home replicas. */
    ACCEPTED("what the slow path decides was accepted by f+1 replicas of the home partition"),
    /** I3 and I4, white box. */
    TIMESTAMP_ORDER("I3/I4, serializable in timestamp order"),
    /** Black box, lists. */
    LIST_APPEND("serializable, by lists"),
    /** Black box, registers. */
    REGISTER("serializable, by registers"),
    /** What the application saw is what the completion says it read and wrote. */
    JOURNAL("the application saw what the transaction read"),
    /** A write id names one value for ever. */
    WRITE_ID("one value per write id"),
    /** Every transaction ends for its client. */
    STUCK("every transaction ends for its client"),
    /** Once messages arrive again, whatever one knows all learn who wait for it. */
    SETTLED("what is decided is known and installed wherever it is waited for"),
    /** Where no message is lost or very late, clients learn every outcome. */
    DECIDED("in a calm network every outcome is known"),
    /** With nothing undecided, and no faults, everything can be read. */
    UNREADABLE("everything can be read in the end"),
    /** I6: whoever has lost its memory has learnt from the others what matters of it. */
    SERVING("I6, once faults are over every replica serves"),
    /** A receiver gets what was sent. */
    CODEC("messages survive their codec"),
    /** Machines never throw. */
    MACHINE("machines never throw"),
    /** A replica's own invariants. */
    REPLICA("a replica's state is consistent"),
    /** The same seed does the same. */
    SAME_AGAIN("the same seed does the same"),
    /** The simulator itself works. */
    SIMULATOR("the simulator itself works");

    private final String label;

    Rule(String label) {
      this.label = label;
    }

    /** The rule in words. */
    public String label() {
      return label;
    }
  }

  @Override
  public String toString() {
    return rule + " (" + rule.label() + "): " + explanation;
  }
}
