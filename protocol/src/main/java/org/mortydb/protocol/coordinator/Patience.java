package org.mortydb.protocol.coordinator;

import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.model.Endpoint;

/**
 * Deals with silence and refusal: repeats requests, asks other replicas, and gives up at the
 * deadline (docs/protocol.md, section 4, Deadline, and section 7, Loss).
 */
final class Patience {
  private final CoordinatorState state;
  private final Conclusion conclusion;
  private final Decision decision;
  private final Preparation preparation;
  private final Reading reading;
  private boolean begun;

  /** How often the deadline timer has fired. */
  private int expirations;

  Patience(
      CoordinatorState state,
      Conclusion conclusion,
      Decision decision,
      Preparation preparation,
      Reading reading) {
    this.state = state;
    this.conclusion = conclusion;
    this.decision = decision;
    this.preparation = preparation;
    this.reading = reading;
  }

  /** The application has called; its first call starts the clocks. */
  void onCall(CoordinatorEffects out) {
    if (!begun) {
      begun = true;
      out.armTimer(Timer.DEADLINE, state.options.deadlineMicros());
      out.armTimer(Timer.RESEND, state.options.resendMicros());
    }
  }

  void onResend(CoordinatorEffects out) {
    if (state.phase == Phase.DECIDED) {
      return;
    }
    out.armTimer(Timer.RESEND, state.options.resendMicros());
    switch (state.phase) {
      case EXECUTING -> reading.resend(out);
      case SETTLING -> preparation.settleNoLonger(out);
      case PREPARING, ACKNOWLEDGED -> preparation.resend(out);
      case PROPOSING, LEARNING -> decision.resend(out);
      case DECIDED -> {}
    }
  }

  /**
   * At the first deadline an open transaction aborts. That is certain at once if nothing was
   * prepared; otherwise the home partition has to accept it, and gets the grace time. Then the
   * application learns that the outcome is unknown. The coordinator goes on for another deadline,
   * because other transactions may wait for the outcome.
   */
  void onDeadline(CoordinatorEffects out) {
    if (state.phase == Phase.DECIDED) {
      conclusion.onDeadline(out);
      return;
    }
    expirations++;
    if (state.phase.isOpen()) {
      out.armTimer(Timer.DEADLINE, state.options.graceMicros());
      decision.abort(AbortReason.DEADLINE, out);
    } else if (expirations == 1) {
      out.armTimer(Timer.DEADLINE, state.options.graceMicros());
    } else if (expirations == 2) {
      out.armTimer(Timer.DEADLINE, state.options.deadlineMicros());
      conclusion.completeUnknown(out);
    } else {
      conclusion.giveUp(out);
    }
  }

  /**
   * A replica refuses something. The clock or fence of one replica is not that of the cluster, so a
   * read goes on to the next replica. A refused Put needs no answer: its Prepare shows the write,
   * and the votes carry the refusal.
   */
  void onRefused(Endpoint from, Refusal refusal, CoordinatorEffects out) {
    switch (refusal) {
      case WRONG_PARTITION, OVERSIZED, INVALID -> decision.abort(AbortReason.REFUSED, out);
      case NOT_AUTHORIZED -> decision.abort(AbortReason.NOT_AUTHORIZED, out);
      case CLOCK_AHEAD -> reading.askElsewhere(from, AbortReason.CLOCK_AHEAD, out);
      case TRUNCATED -> reading.askElsewhere(from, AbortReason.TRUNCATED, out);
      case NOT_SERVING -> {
        reading.onNotServing(from, out);
        preparation.onNotServing(from, out);
      }
      case SEALED, MOVED -> decision.abort(AbortReason.MOVED, out);
    }
  }
}
