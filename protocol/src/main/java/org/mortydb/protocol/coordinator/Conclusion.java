package org.mortydb.protocol.coordinator;

import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.model.Write;

/**
 * Tells the application how the transaction ended, after the commit wait if there is one
 * (docs/protocol.md, section 4).
 */
final class Conclusion {
  private final CoordinatorState state;
  private boolean completed;
  private @Nullable Completion delayed;

  Conclusion(CoordinatorState state) {
    this.state = state;
  }

  /** Answers the application and retires; a commit waits first until every clock has passed it. */
  void conclude(Completion completion, CoordinatorEffects out) {
    out.cancelTimer(Timer.RESEND);
    boolean waits =
        state.options.clockUncertaintyMicros() > 0
            && completion instanceof Completion.Committed
            && remainingMicros() > 0
            && !completed;
    if (waits) {
      delayed = completion;
      armTimer(out);
    } else {
      out.cancelTimer(Timer.DEADLINE);
      complete(completion, out);
      out.retire();
    }
  }

  /** Whether the application may hear of a commit at once: every clock has passed it. */
  boolean mayAcknowledge() {
    return state.options.clockUncertaintyMicros() == 0 || remainingMicros() <= 0;
  }

  /**
   * Answers the application ahead of the outcome, which the coordinator goes on to make certain.
   */
  void acknowledge(Completion.Committed completion, CoordinatorEffects out) {
    complete(completion, out);
  }

  void onCommitWaitOver(CoordinatorEffects out) {
    Completion completion = delayed;
    if (completion == null) {
      return;
    }
    if (remainingMicros() > 0) {
      armTimer(out);
      return;
    }
    delayed = null;
    out.cancelTimer(Timer.DEADLINE);
    complete(completion, out);
    out.retire();
  }

  /**
   * The deadline has passed in the commit wait. A wait that is longer than the grace time is due to
   * a clock that was set back. The application may not hear of the commit so early, and does not
   * wait so long.
   */
  void onDeadline(CoordinatorEffects out) {
    if (delayed == null) {
      return;
    }
    long mostMicros = 2 * state.options.clockUncertaintyMicros() + state.options.graceMicros();
    if (remainingMicros() <= mostMicros) {
      out.armTimer(Timer.DEADLINE, mostMicros); // over by then, unless the clock is set back again
      return;
    }
    delayed = null;
    out.cancelTimer(Timer.COMMIT_WAIT);
    completeUnknown(out);
    out.retire();
  }

  /** Looks at the clock again before long: it may be set, back and forward. */
  private void armTimer(CoordinatorEffects out) {
    long longest =
        Math.max(2 * state.options.clockUncertaintyMicros(), state.options.resendMicros());
    out.armTimer(Timer.COMMIT_WAIT, Math.min(remainingMicros(), longest));
  }

  /**
   * How long until every clock has passed the transaction's timestamp; 0 or less if all have. A
   * clock that shows the timestamp itself has not: a transaction that takes it could be lower by
   * the number of its client.
   */
  private long remainingMicros() {
    return state.attempt.timeMicros()
        + 2 * state.options.clockUncertaintyMicros()
        + 1
        - state.nowMicros;
  }

  /** Tells the application that the outcome is unknown. The coordinator goes on asking for it. */
  void completeUnknown(CoordinatorEffects out) {
    ArrayList<Write> writes = new ArrayList<>();
    for (PreparedExecution execution : state.prepared) {
      writes.addAll(execution.writes());
    }
    complete(new Completion.Unknown(state.txn, writes), out);
  }

  /** Retires without the outcome. */
  void giveUp(CoordinatorEffects out) {
    out.cancelTimer(Timer.RESEND);
    out.retire();
  }

  private void complete(Completion completion, CoordinatorEffects out) {
    if (!completed) {
      completed = true;
      out.complete(completion);
    }
  }
}
