package org.mortydb.check.anomaly;

import java.util.List;

/**
 * A contradiction in a history, which shows that it is not serializable.
 *
 * @param kind the kind of anomaly
 * @param transactions the transactions involved, the one at fault first
 * @param explanation what the transactions read and wrote, and what they should have read
 */
public record Anomaly(Kind kind, List<String> transactions, String explanation) {

  /** The kinds of anomalies. */
  public enum Kind {
    /** Two transactions have the same id. */
    DUPLICATE_ID("duplicate transaction id"),
    /** A read saw a version or value whose writer is not in the history. */
    UNKNOWN_WRITER("read without a writer"),
    /** A committed transaction read a write of an aborted one. */
    ABORTED_READ("G1a, aborted read"),
    /** A committed transaction read a value that its writer later overwrote itself. */
    INTERMEDIATE_READ("G1b, intermediate read"),
    /** A reader missed a committed write between the version read and itself. */
    MISSED_WRITE("missed write"),
    /** A transaction read a write with a later timestamp. */
    FUTURE_READ("read of a later write"),
    /** A read returned another value than the writer of its version wrote. */
    WRONG_VALUE("wrong value"),
    /** A transaction contradicts its own reads and writes. */
    INTERNAL("internal inconsistency"),
    /** An element occurs twice in one list. */
    DUPLICATE_ELEMENT("duplicate element"),
    /** A committed element is missing at the end. */
    LOST_ELEMENT("lost element"),
    /** A write that the client saw fail is present. */
    FAILED_WRITE("effect of a failed write"),
    /** A read saw another sum than every serial order keeps. */
    WRONG_TOTAL("wrong total"),
    /** Each of two reads of counters misses a write that the other saw. */
    INCOMPARABLE_READS("reads without a common order"),
    /** Each of two committed transactions searched for the other's insert and did not see it. */
    G2_PREDICATE("G2, phantom"),
    /** Two reads of a list disagree on the order of its elements. */
    INCOMPATIBLE_ORDER("incompatible order"),
    /** No point in the order of commits shows all that a transaction has read and replaced. */
    NO_SNAPSHOT("G-SI, no snapshot"),
    /** Two committed transactions read the same version and replaced it. */
    LOST_UPDATE("lost update"),
    /** A cycle of write-write dependencies only. */
    G0("G0, write cycle"),
    /** A cycle of write-write and write-read dependencies. */
    G1C("G1c, circular information flow"),
    /** A cycle with exactly one anti-dependency. */
    G_SINGLE("G-single, read skew"),
    /** A cycle with two or more anti-dependencies. */
    G2_ITEM("G2-item, write skew or long fork"),
    /** A cycle that includes the order of sessions or of real time. */
    ORDER("cycle with session or real-time order"),
    /** A read of the past saw an older state than it was allowed to. */
    TOO_OLD("older than asked"),
    /** A session does not see what it has written, or sees less than before. */
    SESSION_GUARANTEE("broken session guarantee"),
    /** No point in time between begin and end explains an operation on a register. */
    NOT_LINEARIZABLE("not linearizable");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** The printed name. */
    public String label() {
      return label;
    }
  }

  @Override
  public String toString() {
    return kind.label() + ": " + explanation;
  }
}
