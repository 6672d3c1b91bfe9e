package org.mortydb.baselines.tapir;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.system.TransactionBuffer;
import org.mortydb.protocol.system.TransactionBuffer.ReadSlot;

/**
 * The coordinator of one attempt, in its client. It reads from the closest replica, buffers writes,
 * and then runs two-phase commit over the participants. Each participant answers by a consensus
 * operation of inconsistent replication (docs/reference/baselines.md). Only the coordinator
 * decides. It may abort at any time until every participant is prepared at one stamp.
 *
 * <p>A committed transaction's position in the serial order is its stamp ({@link TxnId#at}).
 *
 * <p>A pure machine; see {@link StateMachine} for its thread rule.
 */
public final class TapirCoordinator implements CoordinatorMachine {

  private enum State {
    /** The application runs, or waits for a read. */
    EXECUTING,
    /** A stamp is proposed to the participants. */
    PREPARING,
    /** The outcome is certain. It is sent until every replica has it. */
    DECIDED
  }

  /** The number of proposals after which the attempt is given up. */
  private static final int MAX_PROPOSALS = 16;

  private static final int MAX_DOUBLINGS = 3;

  private final TxnId begun;
  private final Topology topology;
  private final CoordinatorOptions options;
  private final CoordinatorRules rules;
  private final Execution execution;
  private final TransactionBuffer buffer;

  private TxnId txn;
  private State state = State.EXECUTING;
  private boolean started;
  private boolean homeKnown;
  private long nowMicros;

  private BitSet participants = new BitSet();

  /** The current or last proposal; null before the first. */
  private @Nullable Proposal proposal;

  private int proposals;
  private boolean slowPathArmed;
  private @Nullable AbortReason refusal;

  /** The stamp of the commit; null before it. */
  private @Nullable TxnId committedAt;

  /** Sends the outcome; null until it is certain. */
  private @Nullable Announcement announcement;

  private boolean completed;
  private Completion.@Nullable Committed delayedCompletion;

  /**
   * @param attempt its time and client; a declaration as read-only is ignored
   * @param options the re-execution policy is ignored
   * @param rules only the slow quorum is used; {@link CoordinatorRules#SOUND}, except in tests of
   *     the checkers
   */
  public TapirCoordinator(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options, CoordinatorRules rules) {
    this.begun = new TxnId(attempt.timeMicros(), attempt.clientId(), 0);
    this.txn = begun;
    this.topology = topology;
    this.options = options;
    this.rules = rules;
    this.execution = new Execution(topology);
    this.buffer = execution.buffer();
  }

  @Override
  public TxnId txn() {
    return txn;
  }

  @Override
  public void step(long now, Event event, CoordinatorEffects out) {
    nowMicros = now;
    switch (event) {
      case Event.Received(Endpoint from, TapirMessage.ToCoordinator message) ->
          onMessage(from, message, out);
      case Event.Received(Endpoint from, Refused refused) -> onRefused(from, refused, out);
      case Event.Received _ -> {} // requests to a replica, or a message of another system
      case Event.TimerFired(Timer timer) -> onTimer(timer, out);
      case Event.BatchEnded _, Event.Forwarded _, Event.Renumber _, Event.Unreachable _ -> {}
      case Event.Call call -> onCall(call, out);
    }
  }

  private void onCall(Event.Call call, CoordinatorEffects out) {
    if (!started) {
      started = true;
      out.armTimer(Timer.DEADLINE, options.deadlineMicros());
      out.armTimer(Timer.RESEND, options.resendMicros());
    }
    if (state != State.EXECUTING) {
      return;
    }
    switch (call) {
      case Event.CallGet(int _, List<Key> keys) -> get(keys, out);
      // TAPIR validates keys that were read, so it would miss phantoms.
      case Event.CallScan _ -> abort(AbortReason.REFUSED, out);
      case Event.CallPut(int _, Key key, Value value) -> put(key, value, out);
      case Event.CallYield _ -> {} // nothing is shown before the commit
      case Event.CallCommit _ -> commit(out);
      case Event.CallCommitReads _ when buffer.forgoWrites() -> commit(out);
      case Event.CallCommitReads _ -> abort(AbortReason.APPLICATION, out);
      case Event.CallAbort _ -> abort(AbortReason.APPLICATION, out);
    }
  }

  private void onMessage(
      Endpoint from, TapirMessage.ToCoordinator message, CoordinatorEffects out) {
    switch (message) {
      case TapirMessage.GetReply reply -> {
        if (state == State.EXECUTING) {
          execution.answered(reply, out);
        }
      }
      case TapirMessage.PrepareReply reply -> onPrepareReply(from, reply, out);
      case TapirMessage.FinalizeReply reply -> onFinalizeReply(from, reply, out);
      case TapirMessage.OutcomeReply reply -> onOutcomeReply(from, reply, out);
    }
  }

  private void onTimer(Timer timer, CoordinatorEffects out) {
    switch (timer) {
      case RESEND -> resend(out);
      case SLOW_PATH -> {
        if (slowPathArmed && state == State.PREPARING) {
          slowPathArmed = false;
          Proposal current = proposal;
          if (current != null) {
            evaluate(current, true, out);
          }
        }
      }
      case DEADLINE -> abort(AbortReason.DEADLINE, out);
      case COMMIT_WAIT -> completeDelayed(out);
      case TICK, REVOTE, FLUSH -> {}
    }
  }

  // ---- execution ------------------------------------------------------------------------------

  private void begin(Key first) {
    if (!homeKnown) {
      homeKnown = true;
      txn = new TxnId(begun.timeMicros(), begun.clientId(), topology.partitionOf(first));
    }
  }

  private void put(Key key, Value value, CoordinatorEffects out) {
    begin(key);
    if (takes(1, out)) {
      buffer.put(key, value);
    }
  }

  private void get(List<Key> keys, CoordinatorEffects out) {
    begin(keys.getFirst());
    if (takes(keys.size(), out)) {
      execution.get(txn, keys, nowMicros, out);
    }
  }

  private boolean takes(int more, CoordinatorEffects out) {
    boolean takes = buffer.takes(more);
    if (!takes) {
      abort(AbortReason.REFUSED, out);
    }
    return takes;
  }

  // ---- prepare --------------------------------------------------------------------------------

  private void commit(CoordinatorEffects out) {
    participants = buffer.participants();
    propose(Math.max(begun.timeMicros(), nowMicros), out);
  }

  /** Proposes a stamp at or after a time, and after all versions read. */
  private void propose(long timeMicros, CoordinatorEffects out) {
    long afterReads = timeMicros;
    for (ReadSlot slot : buffer.reads()) {
      afterReads = Math.max(afterReads, slot.version.writer().timeMicros() + 1);
    }
    state = State.PREPARING;
    proposals++;
    refusal = null;
    disarmSlowPath(out);
    Proposal made =
        new Proposal(
            txn.at(afterReads),
            participants,
            nowMicros,
            topology.f(),
            rules.slowQuorum(topology.f()));
    proposal = made;
    if (out.probing()) {
      ExecutionId id = new ExecutionId(txn, Execution.NUMBER);
      out.probe(proposals == 1 ? new Probe.Prepared(id) : new Probe.Revoted(id));
    }
    for (int p = participants.nextSetBit(0); p >= 0; p = participants.nextSetBit(p + 1)) {
      out.broadcast(p, prepareFor(p, made.stamp));
    }
    if (participants.isEmpty()) {
      commitAt(made, out);
    }
  }

  private TapirMessage.Prepare prepareFor(int partition, TxnId stamp) {
    return new TapirMessage.Prepare(
        txn, stamp, buffer.readsAt(partition), buffer.writesAt(partition));
  }

  /** The open proposal, if it has this stamp; else null. */
  private @Nullable Proposal openProposal(TxnId stamp) {
    Proposal current = proposal;
    return state == State.PREPARING && current != null && current.stamp.equals(stamp)
        ? current
        : null;
  }

  private void onPrepareReply(
      Endpoint from, TapirMessage.PrepareReply reply, CoordinatorEffects out) {
    Proposal current = openProposal(reply.stamp());
    if (current != null) {
      count(from, current, reply.result(), out);
    }
  }

  private void count(
      Endpoint from, Proposal current, PrepareResult result, CoordinatorEffects out) {
    if (from instanceof ReplicaId(int partition, int index)) {
      PrepareTally tally = current.tally(partition);
      if (tally != null && tally.record(index, result)) {
        evaluate(current, false, out);
      }
    }
  }

  private void onFinalizeReply(
      Endpoint from, TapirMessage.FinalizeReply reply, CoordinatorEffects out) {
    Proposal current = openProposal(reply.stamp());
    if (current != null
        && from instanceof ReplicaId(int partition, int index)
        && current.isFinalizing(partition)) {
      PrepareTally tally = current.tally(partition);
      if (tally != null) {
        tally.confirm(index);
        evaluate(current, false, out);
      }
    }
  }

  /**
   * Acts on the participants' results.
   *
   * @param late whether missing results are no longer awaited
   */
  private void evaluate(Proposal current, boolean late, CoordinatorEffects out) {
    switch (current.verdict(late)) {
      case ABORT -> abort(refusal == null ? AbortReason.CONFLICT : refusal, out);
      case RETRY -> proposeAfter(current, out);
      case PREPARED -> commitAt(current, out);
      case OPEN -> {
        finish(current, late, out);
        if (current.hasMajorities() && !late && !slowPathArmed) {
          // The last results are late or lost. Wait half of the time that the majority took.
          slowPathArmed = true;
          long elapsedMicros = Math.max(0, nowMicros - current.proposedMicros);
          out.armTimer(Timer.SLOW_PATH, options.slowPathMicros() + elapsedMicros / 2);
        }
      }
    }
  }

  /** The slow path: asks the replicas to confirm the majority's result, where there is one. */
  private void finish(Proposal current, boolean late, CoordinatorEffects out) {
    for (int p = participants.nextSetBit(0); p >= 0; p = participants.nextSetBit(p + 1)) {
      if (current.needsConfirmation(p, late) && current.finish(p)) {
        if (out.probing()) {
          out.probe(new Probe.Proposed(txn, commitOutcome()));
        }
        out.broadcast(p, new TapirMessage.Finalize(txn, current.stamp));
      }
    }
  }

  /**
   * Proposes a later stamp. From the second such proposal on, other clients may take stamps after
   * the requested time first. So the distance to the present doubles each time.
   */
  private void proposeAfter(Proposal last, CoordinatorEffects out) {
    if (proposals >= MAX_PROPOSALS) {
      abort(AbortReason.CONFLICT, out);
      return;
    }
    long roundMicros = Math.max(0, nowMicros - last.proposedMicros);
    int doublings = Math.min(proposals - 1, MAX_DOUBLINGS);
    long aheadMicros = proposals == 1 ? 0 : roundMicros << doublings;
    long laterMicros = Math.max(last.retryMicros(), last.stamp.timeMicros()) + 1;
    propose(Math.max(laterMicros, nowMicros + aheadMicros), out);
  }

  private void disarmSlowPath(CoordinatorEffects out) {
    if (slowPathArmed) {
      slowPathArmed = false;
      out.cancelTimer(Timer.SLOW_PATH);
    }
  }

  // ---- outcome --------------------------------------------------------------------------------

  private void abort(AbortReason reason, CoordinatorEffects out) {
    if (state == State.DECIDED) {
      return;
    }
    if (state == State.EXECUTING) {
      participants.clear(); // no replica knows of the transaction
    }
    decided(new TapirMessage.Abort(txn), Outcome.ABORT, Path.FAST, out);
    complete(new Completion.Aborted(txn, reason), out);
    retireIfDone(out);
  }

  private void commitAt(Proposal prepared, CoordinatorEffects out) {
    TxnId stamp = prepared.stamp;
    Path path = prepared.isFast() ? Path.FAST : Path.SLOW;
    committedAt = stamp;
    decided(new TapirMessage.Commit(txn, stamp), commitOutcome(), path, out);
    finish(
        new Completion.Committed(
            txn, stamp, Execution.NUMBER, path, buffer.allReads(), buffer.allWrites()),
        out);
    retireIfDone(out);
  }

  private void decided(TapirMessage message, Outcome outcome, Path path, CoordinatorEffects out) {
    disarmSlowPath(out);
    out.cancelTimer(Timer.DEADLINE);
    out.cancelTimer(Timer.RESEND);
    state = State.DECIDED;
    Announcement begins =
        new Announcement(message, participants, topology.replicas(), options.resendMicros());
    announcement = begins;
    begins.begin(out);
    if (out.probing()) {
      out.probe(new Probe.Decided(txn, outcome, path));
    }
  }

  private Outcome commitOutcome() {
    return Outcome.commit(Execution.NUMBER, participants.stream().boxed().toList());
  }

  /** Delivers the result to the application, after the commit wait if there is one. */
  private void finish(Completion.Committed completion, CoordinatorEffects out) {
    long waitMicros = certainMicros(completion) - nowMicros;
    if (options.clockUncertaintyMicros() > 0 && waitMicros > 0) {
      delayedCompletion = completion;
      out.armTimer(Timer.COMMIT_WAIT, waitMicros);
    } else {
      complete(completion, out);
    }
  }

  /** The time at which every clock has passed the stamp, as far as this client can tell. */
  private long certainMicros(Completion.Committed completion) {
    return completion.position().timeMicros() + 2 * options.clockUncertaintyMicros();
  }

  private void completeDelayed(CoordinatorEffects out) {
    Completion.Committed completion = delayedCompletion;
    if (completion == null) {
      return;
    }
    long remainingMicros = certainMicros(completion) - nowMicros;
    if (remainingMicros > 0) {
      out.armTimer(Timer.COMMIT_WAIT, remainingMicros); // the clock was set back
      return;
    }
    delayedCompletion = null;
    complete(completion, out);
    retireIfDone(out);
  }

  private void complete(Completion completion, CoordinatorEffects out) {
    completed = true;
    out.complete(completion);
  }

  private void onOutcomeReply(
      Endpoint from, TapirMessage.OutcomeReply reply, CoordinatorEffects out) {
    Announcement tells = announcement;
    if (tells == null || !(from instanceof ReplicaId replica)) {
      return;
    }
    TxnId stamp = committedAt;
    int partition = replica.partition();
    if (reply.applied()) {
      tells.known(replica);
      retireIfDone(out);
    } else if (stamp != null && participants.get(partition)) {
      out.send(
          from,
          new TapirMessage.Install(
              txn, stamp, buffer.readsAt(partition), buffer.writesAt(partition)));
    }
  }

  private void retireIfDone(CoordinatorEffects out) {
    Announcement tells = announcement;
    if (completed && tells != null && tells.isOver()) {
      out.cancelTimer(Timer.RESEND);
      out.retire();
    }
  }

  // ---- refusals and loss ----------------------------------------------------------------------

  private void onRefused(Endpoint from, Refused refused, CoordinatorEffects out) {
    AbortReason reason = AbortReason.of(refused.reason());
    if (reason == AbortReason.REFUSED || reason == AbortReason.NOT_AUTHORIZED) {
      abort(reason, out);
    } else if (state == State.PREPARING) {
      // The clock or fence of one replica is not decisive for the partition.
      Proposal current = proposal;
      if (current != null) {
        refusal = reason;
        count(from, current, PrepareResult.ABSTAIN, out);
      }
    } else if (state == State.EXECUTING && !execution.askOthers(txn, from, nowMicros, out)) {
      abort(reason, out);
    }
  }

  private void resend(CoordinatorEffects out) {
    Announcement tells = announcement;
    if (tells != null) {
      tells.repeat(out);
      retireIfDone(out);
      return;
    }
    out.armTimer(Timer.RESEND, options.resendMicros());
    Proposal current = proposal;
    long oldMicros = nowMicros - options.resendMicros() / 2;
    if (state == State.EXECUTING) {
      execution.askAgain(txn, oldMicros, nowMicros, out);
    } else if (current != null && current.proposedMicros <= oldMicros) {
      resendPrepares(current, out);
    }
  }

  private void resendPrepares(Proposal current, CoordinatorEffects out) {
    for (int p = participants.nextSetBit(0); p >= 0; p = participants.nextSetBit(p + 1)) {
      PrepareTally tally = current.tally(p);
      if (tally == null || tally.isPrepared()) {
        continue;
      }
      TapirMessage.Prepare prepare = prepareFor(p, current.stamp);
      for (int i = 0; i < topology.replicas(); i++) {
        ReplicaId replica = new ReplicaId(p, i);
        if (!tally.hasAnswered(i)) {
          out.send(replica, prepare);
        }
        if (current.isFinalizing(p) && !tally.hasConfirmed(i)) {
          out.send(replica, new TapirMessage.Finalize(txn, current.stamp));
        }
      }
    }
  }
}
