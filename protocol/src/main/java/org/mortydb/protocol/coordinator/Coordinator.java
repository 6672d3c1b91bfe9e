package org.mortydb.protocol.coordinator;

import java.util.List;
import java.util.Set;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.GetReply;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.InquireReply;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.Push;
import org.mortydb.protocol.message.Message.PushRow;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.ScanReply;
import org.mortydb.protocol.message.Message.ToCoordinator;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/**
 * The coordinator of one transaction, in its client: reads and writes for the application,
 * re-executes it in part when a read becomes stale, has replicas vote, decides, and sends the
 * outcome to all concerned (docs/protocol.md, sections 2 to 4; in the paper: the execution and
 * commit protocols).
 *
 * <p>This class hands each event to the part that it concerns. A pure machine: see {@link
 * StateMachine} for its thread rule.
 */
public final class Coordinator implements CoordinatorMachine {
  // In the order of their dependencies: each part uses only parts above it.
  private final CoordinatorState state;
  private final Conclusion conclusion;
  private final Decision decision;
  private final Writes writes;
  private final Preparation preparation;
  private final Reading reading;
  private final Reexecution reexecution;
  private final Answers answers;
  private final Votes votes;
  private final Patience patience;

  /**
   * Creates a coordinator that waits for its first call.
   *
   * @param attempt the attempt, whose timestamps are strictly monotonic per client
   */
  public Coordinator(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options, CoordinatorRules rules) {
    state = new CoordinatorState(attempt, topology, options, rules);
    conclusion = new Conclusion(state);
    Registration registration = new Registration(state);
    decision = new Decision(state, conclusion, registration);
    writes = new Writes(state, decision);
    preparation = new Preparation(state, decision, writes, registration);
    reading = new Reading(state, decision, writes, preparation);
    reexecution = new Reexecution(state, decision, writes, preparation, reading);
    answers = new Answers(state, preparation, reading, reexecution);
    votes = new Votes(state, decision, preparation, registration, reexecution);
    patience = new Patience(state, conclusion, decision, preparation, reading);
  }

  @Override
  public TxnId txn() {
    return state.txn;
  }

  /** The current execution's number. */
  public int execution() {
    return state.execution;
  }

  @Override
  public int reexecutions() {
    return state.reexecutions;
  }

  @Override
  public void step(long nowMicros, Event event, CoordinatorEffects out) {
    state.clock(nowMicros);
    switch (event) {
      case Event.Received(Endpoint from, ToCoordinator message) -> onMessage(from, message, out);
      case Event.Received _ -> {} // not for a coordinator
      case Event.TimerFired(Timer timer) -> onTimer(timer, out);
      case Event.BatchEnded _ -> reexecution.onBatchEnd(out);
      case Event.Forwarded forwarded -> answers.onForwarded(forwarded, out);
      case Event.Renumber _ -> onRenumber(out);
      case Event.Unreachable(Set<ReplicaId> replicas) -> onUnreachable(replicas, out);
      case Event.Call call -> onCall(call, out);
    }
  }

  // ---- the application ----------------------------------------------------------------------

  private void onCall(Event.Call call, CoordinatorEffects out) {
    patience.onCall(out);
    if (call.execution() != state.execution || state.phase != Phase.EXECUTING) {
      return; // late code of a superseded execution, or of an ended transaction
    }
    if (!(call instanceof Event.CallYield)) {
      reading.onCall();
    }
    switch (call) {
      case Event.CallGet(int _, List<Key> keys) -> reading.get(keys, out);
      case Event.CallScan(int _, KeyRange range, int limit) -> reading.scan(range, limit, out);
      case Event.CallPut(int _, Key key, Value value) -> writes.put(key, value, out);
      case Event.CallYield _ -> onYield(out);
      case Event.CallCommit _ -> onCommit(out);
      case Event.CallCommitReads _ -> onCommitReads(out);
      case Event.CallAbort _ -> onAbort(out);
    }
  }

  private void onYield(CoordinatorEffects out) {
    if (reading.hasResumed()) {
      return; // the turn has ended with a read that is answered: the next turn follows at once
    }
    writes.show(out);
    preparation.dropAbandonedVotes(out);
  }

  private void onCommit(CoordinatorEffects out) {
    if (reading.isWaiting()) {
      throw new IllegalStateException("commit while a read is outstanding");
    }
    if (state.log.size() == 0) {
      decision.commitNothing(out);
    } else {
      preparation.prepareWhenSettled(out);
    }
  }

  private void onCommitReads(CoordinatorEffects out) {
    if (state.stale != null) {
      return; // the application runs again, and may decide otherwise
    }
    reading.forgo();
    if (state.log.hasRead()) {
      preparation.giveUpExecution(out); // what it has shown is stale from here on
      writes.forgo();
      preparation.prepareWhenSettled(out);
    } else {
      onAbort(out);
    }
  }

  private void onAbort(CoordinatorEffects out) {
    if (state.stale == null) { // otherwise the application runs again, and may decide otherwise
      decision.abort(AbortReason.APPLICATION, out);
    }
  }

  /**
   * An application that runs, or waits for a read, goes on: it may have to be asked before it runs
   * again.
   */
  private void onRenumber(CoordinatorEffects out) {
    if (state.phase != Phase.EXECUTING) {
      decision.abort(AbortReason.RENUMBERED, out);
    }
  }

  /** Those who do not answer any more are not waited for. */
  private void onUnreachable(Set<ReplicaId> replicas, CoordinatorEffects out) {
    state.unreachable = replicas;
    reading.onUnreachable(out);
    switch (state.phase) {
      case SETTLING -> preparation.prepareIfSettled(out);
      case PREPARING, ACKNOWLEDGED -> votes.onUnreachable(out);
      case EXECUTING, DECIDED -> {}
      case PROPOSING, LEARNING -> {} // any f+1 replicas of the home partition will do
    }
  }

  // ---- replicas -----------------------------------------------------------------------------

  private void onMessage(Endpoint from, ToCoordinator message, CoordinatorEffects out) {
    if (!message.txn().equals(state.txn)) {
      // Somebody has named this transaction with another home, and replicas recover that one. Its
      // outcome says nothing about this one (section 1).
      return;
    }
    switch (message) {
      case GetReply m ->
          answers.onVersion(
              m.request(), m.sequence(), m.version(), m.value(), m.settled(), m.below(), out);
      case Push m ->
          answers.onVersion(
              m.request(), m.sequence(), m.version(), m.value(), m.settled(), m.below(), out);
      case ScanReply reply -> answers.onScanReply(reply, out);
      case PushRow push -> answers.onPushRow(push, out);
      case PrepareReply reply -> votes.onPrepareReply(from, reply, out);
      case FinalizeReply reply -> decision.onFinalizeReply(from, reply, out);
      case Decide decide -> decision.learn(decide.outcome(), out);
      case Inquire _ -> decision.onInquire(from, out);
      case Refused refused -> patience.onRefused(from, refused.reason(), out);
      case InquireReply _ -> {} // the home partition does not know the outcome yet
    }
  }

  private void onTimer(Timer timer, CoordinatorEffects out) {
    switch (timer) {
      case RESEND -> patience.onResend(out);
      case DEADLINE -> patience.onDeadline(out);
      case SLOW_PATH -> votes.onSlowPath(out);
      case REVOTE -> votes.onRevote(out);
      case COMMIT_WAIT -> conclusion.onCommitWaitOver(out);
      case TICK, FLUSH -> {}
    }
  }
}
