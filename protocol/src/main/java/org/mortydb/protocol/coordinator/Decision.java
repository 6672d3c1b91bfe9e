package org.mortydb.protocol.coordinator;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Drop;
import org.mortydb.protocol.message.Message.Finalize;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.InquireReply;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.View;

/**
 * Makes an outcome certain and sends it to all partitions concerned: at once, by a proposal to the
 * home partition, or by asking for what a recovery decided (docs/protocol.md, section 4).
 */
final class Decision {
  private final CoordinatorState state;
  private final Conclusion conclusion;
  private final Registration registration;

  /** The outcome proposed, then decided. */
  private @Nullable Outcome outcome;

  /** The home replicas that have accepted the proposal. */
  private final BitSet accepted = new BitSet();

  private AbortReason abortReason = AbortReason.CONFLICT;

  Decision(CoordinatorState state, Conclusion conclusion, Registration registration) {
    this.state = state;
    this.conclusion = conclusion;
    this.registration = registration;
  }

  // ---- outcomes -----------------------------------------------------------------------------

  /** Commits a transaction that neither reads nor writes. */
  void commitNothing(CoordinatorEffects out) {
    state.phase = Phase.DECIDED;
    conclusion.conclude(
        new Completion.Committed(state.txn, state.txn, 0, Path.FAST, List.of(), List.of()), out);
  }

  /** The fast path: the votes of all replicas are the record. */
  void commitFast(Ballot ballot, CoordinatorEffects out) {
    decide(ballot.commit(), Path.FAST, out);
  }

  /**
   * Tells the application of a commit that all replicas have voted for, but not all durably. From
   * now on the transaction can only commit, unless votes are lost (section 8).
   */
  void acknowledge(Ballot ballot, CoordinatorEffects out) {
    if (!conclusion.mayAcknowledge()) {
      return;
    }
    state.phase = Phase.ACKNOWLEDGED;
    state.mark(Branch.ACKNOWLEDGED_WHEN_WRITTEN, out);
    PreparedExecution done = ballot.execution;
    conclusion.acknowledge(
        new Completion.Committed(
            state.txn,
            state.txn,
            done.number(),
            Path.ASYNC,
            done.reads(),
            done.ranges(),
            done.writes()),
        out);
  }

  /** Votes that the application has heard of are lost, so that no commit is possible any more. */
  void abortLost(CoordinatorEffects out) {
    abortReason = AbortReason.LEARNT;
    propose(Outcome.ABORT, Branch.SLOW_ABORT, out);
  }

  /**
   * Commits a read-only execution whose reads f+1 replicas of each participant have registered.
   * Nobody depends on it, so nobody is told. Who asks hears of a commit without participants: no
   * replica has to hold anything of it, or could find votes on it (section 3).
   */
  void commitReads(Ballot ballot, CoordinatorEffects out) {
    state.touched.clear();
    decide(Outcome.commit(ballot.execution.number(), List.of()), Path.READ_ONLY, out);
  }

  /** The slow path. */
  void proposeCommit(Ballot ballot, CoordinatorEffects out) {
    propose(ballot.commit(), Branch.SLOW_COMMIT, out);
  }

  /** Aborts, at once if the rules allow it. Does nothing after a proposal. */
  void abort(AbortReason reason, CoordinatorEffects out) {
    if (!state.phase.isOpen()) {
      return;
    }
    abortReason = reason;
    if (state.executionsPrepared == 0) {
      decide(Outcome.ABORT, Path.FAST, out);
    } else if (isDoomed()) {
      abortFast(out);
    } else {
      withdraw(out);
      propose(Outcome.ABORT, Branch.SLOW_ABORT, out);
    }
  }

  /**
   * Takes back all writes and votes ahead of the proposal to abort, as an execution without writes
   * would. So those that have read the writes do not wait for the outcome.
   */
  private void withdraw(CoordinatorEffects out) {
    List<Integer> participants = state.prepared.getLast().participants();
    int next = state.execution + 1;
    BitSet touched = state.touched;
    for (int p = touched.nextSetBit(0); p >= 0; p = touched.nextSetBit(p + 1)) {
      boolean any = Writes.retract(state, p, next, WriteSlot::isShown, out);
      if (!any && participants.contains(p)) {
        out.broadcast(p, new Drop(state.prepared.getLast().id()));
      }
    }
    out.withdrawn();
  }

  /** Whether no recovery can find the votes to commit, so that an abort needs no record. */
  private boolean isDoomed() {
    Ballot ballot = state.ballot;
    boolean doomed = ballot != null && ballot.votes.isHopeless();
    return doomed && state.rules.mayAbortAtOnce(state.executionsPrepared);
  }

  private void abortFast(CoordinatorEffects out) {
    state.mark(Branch.FAST_ABORT, out);
    decide(Outcome.ABORT, Path.FAST, out);
  }

  /** The last votes may have overtaken the acceptances of an abort. */
  void abortIfDoomed(CoordinatorEffects out) {
    if (state.phase == Phase.PROPOSING && outcome instanceof Outcome.Abort && isDoomed()) {
      abortFast(out);
    }
  }

  /** Another process has decided. */
  void learn(Outcome learnt, CoordinatorEffects out) {
    if (state.phase != Phase.DECIDED) {
      abortReason = AbortReason.LEARNT;
      decide(learnt, Path.LEARNT, out);
    }
  }

  private void decide(Outcome decided, Path path, CoordinatorEffects out) {
    if (path != Path.READ_ONLY) {
      registration.takeBack(out);
    }
    state.stopWaiting(out);
    state.phase = Phase.DECIDED;
    outcome = decided;
    BitSet touched = state.touched;
    for (int p = touched.nextSetBit(0); p >= 0; p = touched.nextSetBit(p + 1)) {
      out.broadcast(p, new Decide(state.txn, decided));
    }
    if (out.probing()) {
      out.probe(new Probe.Decided(state.txn, decided, path));
    }
    conclusion.conclude(completionOf(decided, path, out), out);
  }

  private Completion completionOf(Outcome decided, Path path, CoordinatorEffects out) {
    return switch (decided) {
      case Outcome.Abort() -> new Completion.Aborted(state.txn, abortReason);
      case Outcome.Commit(int number, List<Integer> _) -> {
        if (number != state.execution) {
          state.mark(Branch.OLDER_EXECUTION_COMMITTED, out);
        }
        PreparedExecution done = preparedAs(number);
        yield new Completion.Committed(
            state.txn, state.txn, number, path, done.reads(), done.ranges(), done.writes());
      }
    };
  }

  private PreparedExecution preparedAs(int number) {
    for (PreparedExecution candidate : state.prepared) {
      if (candidate.number() == number) {
        return candidate;
      }
    }
    throw new IllegalStateException(
        state.txn + " committed execution " + number + ", which was never prepared");
  }

  // ---- proposals ----------------------------------------------------------------------------

  /** At most one value is ever proposed in the client's view. */
  private void propose(Outcome value, Branch branch, CoordinatorEffects out) {
    state.stopWaiting(out);
    state.phase = Phase.PROPOSING;
    outcome = value;
    accepted.clear();
    if (out.probing()) {
      out.probe(new Probe.Proposed(state.txn, value));
    }
    state.mark(branch, out);
    out.broadcast(state.txn.home(), new Finalize(state.txn, View.CLIENT, value));
  }

  /** Whether a commit is proposed and not decided. */
  boolean isProposingCommit() {
    return state.phase == Phase.PROPOSING && outcome instanceof Outcome.Commit;
  }

  void onFinalizeReply(Endpoint from, FinalizeReply reply, CoordinatorEffects out) {
    switch (reply.answer()) {
      case FinalizeAnswer.Decided(Outcome decided) -> learn(decided, out);
      case FinalizeAnswer.Fenced(View view) -> onFenced(view, out);
      case FinalizeAnswer.Accepted _ -> {
        if (reply.view().equals(View.CLIENT)) {
          onAccepted(from, out);
        }
      }
    }
  }

  private void onAccepted(Endpoint from, CoordinatorEffects out) {
    if (state.phase == Phase.PROPOSING
        && outcome != null
        && from instanceof ReplicaId(int partition, int index)
        && partition == state.txn.home()) {
      accepted.set(index);
      if (accepted.cardinality() >= state.rules.slowQuorum(state.topology.f())) {
        decide(outcome, Path.SLOW, out);
      }
    }
  }

  // ---- recoveries ---------------------------------------------------------------------------

  /** A recovery has taken over: stops, and asks for its outcome (section 5). */
  void onFenced(View by, CoordinatorEffects out) {
    if (state.phase == Phase.DECIDED || state.phase == Phase.LEARNING) {
      return;
    }
    if (!by.isAbove(View.CLIENT)) {
      return; // a late Prepare has met this coordinator's own proposal
    }
    state.mark(Branch.FENCED, out);
    state.stopWaiting(out);
    state.phase = Phase.LEARNING;
    askForOutcome(out);
  }

  private void askForOutcome(CoordinatorEffects out) {
    out.broadcast(state.txn.home(), new Inquire(state.txn));
  }

  void onInquire(Endpoint from, CoordinatorEffects out) {
    if (state.phase == Phase.DECIDED && outcome != null) {
      out.send(from, new Decide(state.txn, outcome));
    } else if (state.phase != Phase.LEARNING) {
      // A coordinator that waits for a recovery stays silent: the recoverer may have died, and an
      // answer would delay the next recovery.
      out.send(from, new InquireReply(state.txn));
    }
  }

  // ---- loss ---------------------------------------------------------------------------------

  /** Sends again what the home replicas have not answered. */
  void resend(CoordinatorEffects out) {
    if (state.phase == Phase.LEARNING) {
      askForOutcome(out);
    } else if (state.phase == Phase.PROPOSING && outcome != null) {
      for (int i = 0; i < state.topology.replicas(); i++) {
        if (!accepted.get(i)) {
          out.send(
              new ReplicaId(state.txn.home(), i), new Finalize(state.txn, View.CLIENT, outcome));
        }
      }
    }
  }
}
