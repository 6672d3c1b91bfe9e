package org.mortydb.sim;

/**
 * A broken rule.
 *
 * @param rule the rule
 * @param explanation what happened, and where
 */
public record Violation(Rule rule, String explanation) {

  /** The rules; I1 to I6 are the invariants of docs/protocol.md. */
  public enum Rule {
    ONE_OUTCOME("I1: a transaction has one outcome"),
    HELD("I2: f+1 replicas of each participant hold a committed execution durably"),
    FINAL("an execution that a replica abandons for good never commits"),
    LOST("I5: an acknowledged commit is never lost"),
    LIVENESS("I6: after the faults every transaction becomes decided"),
    ACCEPTED("f+1 replicas of the home partition have accepted what the slow path decides"),
    CHOSEN("of the outcomes proposed for a transaction at most one is chosen"),
    TIMESTAMP_ORDER("I3, I4: the history is serializable in timestamp order"),
    VERSION_ORDER("the history keeps the system's guarantee, judged by the order of versions"),
    LIST_APPEND("the history keeps the system's guarantee, judged by its lists"),
    REGISTER("the history keeps the system's guarantee, judged by its registers"),
    JOURNAL("the coordinator reports what the application has read and written"),
    SESSION("a transaction comes after the commits that its client had heard of when it began"),
    AGE("a bounded read is not older than asked"),
    LOCAL_READ("a local read shows only what has committed"),
    PAST("what a replica answers about a place is what the serial order has there"),
    KEPT("a place is not gone before its history is as old as replicas keep it"),
    GUARANTEE("a session sees what it has written, and never goes back"),
    WRITE_ID("a write id names one value"),
    STUCK("every transaction ends for its client"),
    SETTLED("every replica that waits for an outcome learns it and installs it"),
    DECIDED("without lost or very late messages, clients learn every outcome"),
    UNREADABLE("after the faults every key is readable"),
    SERVING("I6: after the faults every replica serves"),
    CODEC("a codec preserves messages"),
    MACHINE("machines never throw"),
    REPLICA("a replica's state is consistent"),
    MEMORY("a replica that serves knows what it has told others, and all below its watermark"),
    LEFT_OVER("replicas forget what no transaction needs any more"),
    SAME_AGAIN("a seed repeats the same run"),
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
