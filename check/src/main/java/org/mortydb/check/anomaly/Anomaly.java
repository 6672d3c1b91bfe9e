package org.mortydb.check.anomaly;

import java.util.List;

/**
 * One way in which a history is not serializable.
 *
 * @param kind its name in the literature, where it has one
 * @param transactions those involved, the one at fault first where there is one
 * @param explanation for people: who read or wrote what, and what should have been
 */
public record Anomaly(Kind kind, List<String> transactions, String explanation) {

  /** The kinds of anomalies. */
  public enum Kind {
    /** Two transactions have the same id. */
    DUPLICATE_ID("duplicate transaction id"),
    /** A version was read whose writer is not in the history, or a value that nobody wrote. */
    UNKNOWN_WRITER("read of a version that nobody wrote"),
    /** A committed transaction read what an aborted one wrote. */
    ABORTED_READ("G1a, aborted read"),
    /** A committed transaction read what its writer did not write in the end. */
    INTERMEDIATE_READ("G1b, intermediate read"),
    /** A committed write between the version read and the reader was missed. */
    MISSED_WRITE("missed write"),
    /** A transaction read what one of a later timestamp wrote. */
    FUTURE_READ("read of a later write"),
    /** A version was read with another value than its writer gave it. */
    WRONG_VALUE("wrong value"),
    /** A transaction contradicts its own reads and writes. */
    INTERNAL("internal inconsistency"),
    /** An element occurs twice in one list. */
    DUPLICATE_ELEMENT("duplicate element"),
    /** A committed element is missing after everything has ended. */
    LOST_ELEMENT("lost element"),
    /** What was never acknowledged, but said to have failed, is there. */
    FAILED_WRITE("write that was said to have failed"),
    /** A sum that every serial order keeps is another one. */
    WRONG_TOTAL("wrong total"),
    /** Two reads of one set each miss what the other saw. */
    INCOMPARABLE_READS("reads that no order explains"),
    /** Two committed transactions each looked for what the other inserted, and saw nothing. */
    G2_PREDICATE("G2, phantom"),
    /** Two reads of one list disagree on the order of its elements. */
    INCOMPATIBLE_ORDER("incompatible order"),
    /** Two committed transactions replaced the same version, both having read it. */
    LOST_UPDATE("lost update"),
    /** A cycle of write-write dependencies alone. */
    G0("G0, write cycle"),
    /** A cycle of write-write and write-read dependencies. */
    G1C("G1c, circular information flow"),
    /** A cycle with exactly one anti-dependency. */
    G_SINGLE("G-single, read skew"),
    /** A cycle with two or more anti-dependencies. */
    G2_ITEM("G2-item, write skew"),
    /** A cycle that needs the order of sessions or of real time. */
    ORDER("cycle with session or real-time order"),
    /** No moment between their beginnings and ends explains what operations on a register saw. */
    NOT_LINEARIZABLE("not linearizable");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** The name as printed. */
    public String label() {
      return label;
    }
  }

  @Override
  public String toString() {
    return kind.label() + ": " + explanation;
  }
}
