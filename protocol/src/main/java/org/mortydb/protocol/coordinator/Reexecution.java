package org.mortydb.protocol.coordinator;

import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Probe;

/**
 * Starts the next execution at the checkpoint of the earliest stale read; the paper calls this read
 * unrolling (docs/protocol.md, section 2, Re-execution).
 */
final class Reexecution {
  private final CoordinatorState state;
  private final Decision decision;
  private final Writes writes;
  private final Preparation preparation;
  private final Reading reading;

  Reexecution(
      CoordinatorState state,
      Decision decision,
      Writes writes,
      Preparation preparation,
      Reading reading) {
    this.state = state;
    this.decision = decision;
    this.writes = writes;
    this.preparation = preparation;
    this.reading = reading;
  }

  /**
   * A replica has pushed another value for a read. Re-executes at once or, if the policy says so,
   * when all that has arrived together is known. Votes that were asked for do not wait.
   */
  void onStale(ReadSlot slot, CoordinatorEffects out) {
    if (state.phase == Phase.PREPARING || !state.options.reexecution().gathers()) {
      reexecute(slot, out);
    } else if (state.stale == null) {
      state.stale = slot;
      out.awaitBatchEnd();
    } else if (slot.operation < state.stale.operation) {
      state.stale = slot;
    }
  }

  void onBatchEnd(CoordinatorEffects out) {
    ReadSlot earliest = state.stale;
    if (earliest != null) {
      state.stale = null;
      reexecute(earliest, out);
    }
  }

  /** Keeps the operations up to the read, drops the later ones, and continues the application. */
  void reexecute(ReadSlot earliest, CoordinatorEffects out) {
    if (!state.options.reexecution().allows(state.reexecutions)) {
      decision.abort(AbortReason.REEXECUTION_LIMIT, out);
      return;
    }
    preparation.giveUpExecution(out);
    state.reexecutions++;
    state.phase = Phase.EXECUTING;
    int operation = earliest.operation;
    state.log.truncateAfter(operation);
    writes.onReexecution();
    if (out.probing()) {
      out.probe(new Probe.Reexecuted(state.executionId(), earliest.key, earliest.version));
    }
    reading.continueFrom(operation, out);
  }
}
