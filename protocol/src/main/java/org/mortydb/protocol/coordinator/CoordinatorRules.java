package org.mortydb.protocol.coordinator;

import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.model.Topology;

/**
 * The rules of docs/protocol.md, section 4, that a coordinator's decisions rest on. Production uses
 * {@link #SOUND}. Tests weaken one rule at a time and require that the checkers notice.
 */
public class CoordinatorRules {

  /** The rules as proven. */
  public static final CoordinatorRules SOUND = new CoordinatorRules();

  /** Votes needed in a partition for the slow path, and acceptances of a Finalize. */
  public int slowQuorum(int f) {
    return f + 1;
  }

  /** Votes needed in a partition for the fast path. */
  public int fastQuorum(int f) {
    return 2 * f + 1;
  }

  /** Votes that must be written in a partition before an application hears of an async commit. */
  public int writtenQuorum(int f) {
    return 2 * f + 1;
  }

  /** Whether a vote that is written, and not durable yet, counts towards the outcome. */
  public boolean decidesByWrittenVotes() {
    return false;
  }

  /** Votes needed in a partition for the commit of a read-only execution. */
  public int registerQuorum(int f) {
    return f + 1;
  }

  /** Whether a final abandon aborts at once: only if a single execution was ever prepared. */
  public boolean mayAbortAtOnce(int preparedExecutions) {
    return preparedExecutions == 1;
  }

  /**
   * The machine that hosts run for a coordinator: the coordinator itself. Tests put a machine
   * between host and coordinator that falsifies what one hears from the other.
   */
  public CoordinatorMachine hosted(CoordinatorMachine coordinator, Topology topology) {
    return coordinator;
  }
}
