package org.mortydb.protocol.coordinator;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.quorum.VoteTally;

/**
 * Counts the votes on the current execution, and chooses between commit, re-execution, another vote
 * and abort (docs/protocol.md, section 4). {@link #evaluate} has rules 1 and 6, and leaves 2 to 5
 * to {@link #mend}.
 */
final class Votes {
  /** The first pause before another vote is not shorter, however close the replicas are. */
  private static final long LEAST_REVOTE_MICROS = 500;

  private static final int MAX_REVOTE_DOUBLINGS = 12;

  private final CoordinatorState state;
  private final Decision decision;
  private final Preparation preparation;
  private final Registration registration;
  private final Reexecution reexecution;
  private final int slowQuorum;
  private final int fastQuorum;
  private final int registerQuorum;
  private final int writtenQuorum;

  Votes(
      CoordinatorState state,
      Decision decision,
      Preparation preparation,
      Registration registration,
      Reexecution reexecution) {
    this.state = state;
    this.decision = decision;
    this.preparation = preparation;
    this.registration = registration;
    this.reexecution = reexecution;
    this.slowQuorum = state.rules.slowQuorum(state.topology.f());
    this.fastQuorum = state.rules.fastQuorum(state.topology.f());
    this.registerQuorum = state.rules.registerQuorum(state.topology.f());
    this.writtenQuorum = state.rules.writtenQuorum(state.topology.f());
  }

  void onPrepareReply(Endpoint from, PrepareReply reply, CoordinatorEffects out) {
    switch (reply.answer()) {
      case PrepareAnswer.Decided(Outcome outcome) -> decision.learn(outcome, out);
      case PrepareAnswer.Fenced(View view) -> decision.onFenced(view, out);
      case PrepareAnswer.Superseded _ -> {}
      case PrepareAnswer.Written _ -> {
        if (from instanceof ReplicaId replica) {
          onWritten(replica, reply.execution().number(), out);
        }
      }
      case PrepareAnswer.Voted(Vote vote) -> {
        if (from instanceof ReplicaId replica) {
          noteShown(replica, vote);
          onVote(replica, reply.execution().number(), vote, out);
          if (vote instanceof Vote.Commit && state.phase.isOpen()) {
            noteRegistered(replica, reply.execution().number(), out);
          }
        }
      }
    }
  }

  /** Votes for executions that were given up do not count. */
  private void onVote(ReplicaId from, int number, Vote vote, CoordinatorEffects out) {
    Ballot ballot = state.ballot;
    if (number != state.execution
        || ballot == null
        || !ballot.votes.record(from.partition(), from.index(), vote)) {
      return;
    }
    if (state.phase == Phase.PREPARING) {
      evaluate(ballot, out);
    } else if (state.phase == Phase.ACKNOWLEDGED) {
      evaluateAcknowledged(ballot, out);
    } else if (decision.isProposingCommit() && isFast(ballot)) {
      decision.commitFast(ballot, out); // the last votes have overtaken the acceptances
    } else {
      decision.abortIfDoomed(out);
    }
  }

  /**
   * A vote is written. It proves nothing to anybody else until it is durable, so it counts for the
   * answer to the application alone.
   */
  private void onWritten(ReplicaId from, int number, CoordinatorEffects out) {
    Ballot ballot = state.ballot;
    if (number != state.execution || ballot == null || state.phase != Phase.PREPARING) {
      return;
    }
    if (state.rules.decidesByWrittenVotes()) {
      onVote(from, number, Vote.COMMIT, out);
    } else if (ballot.votes.recordWritten(from.partition(), from.index())) {
      acknowledgeIfWritten(ballot, out);
    }
  }

  private void acknowledgeIfWritten(Ballot ballot, CoordinatorEffects out) {
    if (state.attempt.async() && ballot.votes.writtenReach(writtenQuorum)) {
      decision.acknowledge(ballot, out);
    }
  }

  /**
   * The application knows of the commit already. Only the loss of written votes can still prevent
   * it: then the replicas that have lost them abandon.
   */
  private void evaluateAcknowledged(Ballot ballot, CoordinatorEffects out) {
    ballot.noteMajority(slowQuorum, state.elapsedMicros);
    if (isFast(ballot)) {
      decision.commitFast(ballot, out);
    } else if (!ballot.votes.commitsCanReach(slowQuorum)) {
      decision.abortLost(out);
    } else {
      takeSlowPathInTime(ballot, out);
    }
  }

  /**
   * Proposes the commit if the fast path is out of reach, or limits the wait for the last votes.
   */
  private void takeSlowPathInTime(Ballot ballot, CoordinatorEffects out) {
    VoteTally votes = ballot.votes;
    boolean mayBeFast =
        state.options.fastPath() && votes.commitsCanReach(fastQuorum, state.unreachable);
    if (votes.commitsReach(slowQuorum) && !mayBeFast) {
      decision.proposeCommit(ballot, out);
    } else if (votes.votesReach(slowQuorum)) {
      ballot.limitWait(state.options.slowPathMicros(), out);
    }
  }

  /**
   * Votes and pushes of one replica arrive in their order, so it pushes what it shows from now on.
   */
  private void noteShown(ReplicaId by, Vote vote) {
    if (vote instanceof Vote.Abandon abandon) {
      for (VersionedValue shown : abandon.fresh()) {
        for (ReadSlot slot : state.log.reads()) {
          if (slot.key.equals(shown.key()) && isFollowing(slot, by)) {
            slot.voted = shown;
          }
        }
      }
    }
  }

  /** Whether a replica pushes the versions of a key. */
  private boolean isFollowing(ReadSlot slot, ReplicaId replica) {
    return slot.partition == replica.partition() && state.pusherOf(slot) == replica.index();
  }

  /**
   * A replica has registered the reads of an execution, and has ended its subscriptions. If the
   * others have not, nobody will say that a newer version has settled: their votes wait for it.
   */
  private void noteRegistered(ReplicaId by, int number, CoordinatorEffects out) {
    for (PreparedExecution execution : state.prepared) {
      if (execution.number() == number && execution.registers()) {
        for (ReadSlot slot : state.log.reads()) {
          slot.subscribed &= !isFollowing(slot, by);
        }
        preparation.prepareIfSettled(out);
        return;
      }
    }
  }

  private boolean isFast(Ballot ballot) {
    return state.options.fastPath() && ballot.votes.commitsReach(fastQuorum);
  }

  /** A read-only execution commits with f+1 votes of every participant (section 3). */
  private void evaluateRegistration(Ballot ballot, CoordinatorEffects out) {
    ballot.noteMajority(registerQuorum, state.elapsedMicros);
    VoteTally votes = ballot.votes;
    if (votes.commitsReach(registerQuorum)) {
      decision.commitReads(ballot, out);
    } else if (votes.finalAbandon() != null
        || (votes.hasAbandon() && !votes.commitsCanReach(registerQuorum, state.unreachable))) {
      mend(ballot, out);
    } else if (votes.hasAbandon()) {
      if (!ballot.isWide()) {
        registration.widen(ballot, out);
        ballot.stopWaiting(out); // those that are asked only now get a time of their own
      }
      ballot.limitWait(state.options.slowPathMicros(), out);
    }
  }

  private void evaluate(Ballot ballot, CoordinatorEffects out) {
    if (ballot.execution.registers()) {
      evaluateRegistration(ballot, out);
      return;
    }
    ballot.noteMajority(slowQuorum, state.elapsedMicros);
    VoteTally votes = ballot.votes;
    if (isFast(ballot)) {
      decision.commitFast(ballot, out);
      return;
    }
    acknowledgeIfWritten(ballot, out);
    if (state.phase == Phase.ACKNOWLEDGED) {
      evaluateAcknowledged(ballot, out);
    } else if (votes.finalAbandon() != null || !votes.commitsCanReach(slowQuorum)) {
      mend(ballot, out);
    } else if (state.reexecutions > 0 && votes.isProbablyHopeless(slowQuorum)) {
      decision.abort(AbortReason.CONFLICT, out); // so that those behind it can go on
    } else {
      takeSlowPathInTime(ballot, out);
    }
  }

  /** Some of the votes that are missing will not come. */
  void onUnreachable(CoordinatorEffects out) {
    Ballot ballot = state.ballot;
    if (ballot == null) {
      return;
    }
    if (state.phase == Phase.ACKNOWLEDGED) {
      evaluateAcknowledged(ballot, out);
    } else if (ballot.execution.registers()) {
      registration.widenIfUnreachable(ballot, out);
      if (state.phase == Phase.PREPARING) {
        evaluateRegistration(ballot, out);
      }
    } else if (ballot.votes.votesReach(slowQuorum)) {
      takeSlowPathInTime(ballot, out);
    }
  }

  /** The last votes have not come in time. */
  void onSlowPath(CoordinatorEffects out) {
    Ballot ballot = state.ballot;
    if (ballot == null || !ballot.slowPathFired()) {
      return;
    }
    if (state.phase == Phase.ACKNOWLEDGED) {
      if (ballot.votes.commitsReach(slowQuorum)) {
        decision.proposeCommit(ballot, out);
      }
      return;
    }
    if (state.phase != Phase.PREPARING) {
      return;
    }
    if (ballot.execution.registers()) {
      if (ballot.votes.hasAbandon() && ballot.votes.votesReach(registerQuorum)) {
        mend(ballot, out); // some do not answer at all
      } else {
        registration.widen(ballot, out);
      }
    } else if (ballot.votes.commitsReach(slowQuorum)) {
      decision.proposeCommit(ballot, out);
    } else {
      mend(ballot, out);
    }
  }

  // ---- executions that cannot commit --------------------------------------------------------

  /** Re-executes with the newer versions that came with the abandons, votes again, or aborts. */
  private void mend(Ballot ballot, CoordinatorEffects out) {
    Vote.Abandon certain = ballot.votes.finalAbandon();
    if (certain != null && certain.reason() == Vote.Reason.WRITE_MISSED) {
      decision.abort(AbortReason.CONFLICT, out); // a later reader has committed: too late to write
      return;
    }
    ReadSlot earliest = null;
    boolean anyNew = false;
    for (VersionedValue newer : FreshVersions.of(ballot.votes)) {
      ReadSlot slot = state.log.slotFor(newer.key()); // perhaps a key that a scan has not shown
      if (!slot.isLive() || slot.isExactly(newer)) {
        continue;
      }
      anyNew = true;
      if (slot.request == ReadSlot.UNASKED) {
        state.mark(Branch.PHANTOM_VOTED, out);
      }
      boolean sameValue = slot.value.equals(newer.value());
      boolean followed = newer.equals(slot.voted);
      slot.learn(newer);
      slot.followed = followed;
      if (!sameValue && (earliest == null || slot.operation < earliest.operation)) {
        earliest = slot;
      }
    }
    if (earliest != null) {
      reexecution.reexecute(earliest, out);
    } else if (anyNew) {
      state.mark(Branch.VALUE_UNCHANGED, out);
      preparation.prepareAgain(out);
    } else if (certain != null) {
      decision.abort(AbortReason.CONFLICT, out);
    } else {
      voteAgainLater(ballot, out);
    }
  }

  /**
   * All abandons are tentative and came without newer versions: the conflict may vanish. In most
   * cases a later reader is in the way, to which this Prepare has shown the write. It needs about a
   * round trip to execute again and to replace its votes, so that is the first pause.
   */
  private void voteAgainLater(Ballot ballot, CoordinatorEffects out) {
    AbortReason refusal = refusal(ballot.votes);
    if (refusal != null) {
      if (!waitsForOthers(ballot, refusal, out)) {
        decision.abort(refusal, out);
      }
      return;
    }
    long tookMicros = Math.max(LEAST_REVOTE_MICROS, ballot.majorityTookMicros(state.elapsedMicros));
    long delayMicros = tookMicros << Math.min(state.revotes, MAX_REVOTE_DOUBLINGS);
    ballot.revoteAfter(spread(Math.min(delayMicros, state.options.resendMicros())), out);
  }

  /**
   * Whether a refusal is due to the clock or fence of a few replicas, and the votes of others may
   * be on their way: those that are far away or have just restarted. Waits for them once, for as
   * long as it takes to ask again.
   */
  private boolean waitsForOthers(Ballot ballot, AbortReason refusal, CoordinatorEffects out) {
    int quorum = ballot.execution.registers() ? registerQuorum : slowQuorum;
    boolean mayDiffer = refusal == AbortReason.TRUNCATED || refusal == AbortReason.CLOCK_AHEAD;
    if (!mayDiffer
        || !ballot.votes.commitsCanReach(quorum, state.unreachable)
        || !ballot.waitsOnceMore()) {
      return false;
    }
    ballot.limitWait(state.options.resendMicros(), out);
    return true;
  }

  void onRevote(CoordinatorEffects out) {
    Ballot ballot = state.ballot;
    if (ballot != null && ballot.revoteFired() && state.phase == Phase.PREPARING) {
      preparation.prepareAgain(out);
    }
  }

  /** Why no other vote on this transaction will differ; null if one may. */
  private static @Nullable AbortReason refusal(VoteTally votes) {
    AbortReason[] refusal = new AbortReason[1];
    votes.forEachAbandon(
        abandon -> {
          if (abandon.reason() == Vote.Reason.TRUNCATED) {
            refusal[0] = AbortReason.TRUNCATED;
          } else if (abandon.reason() == Vote.Reason.CLOCK_AHEAD) {
            refusal[0] = AbortReason.CLOCK_AHEAD;
          } else if (abandon.reason() == Vote.Reason.SEALED) {
            refusal[0] = AbortReason.MOVED;
          } else if (abandon.reason() == Vote.Reason.MERGE_FAILED) {
            refusal[0] = AbortReason.MERGE_FAILED;
          } else if (abandon.reason() == Vote.Reason.MERGE_LIMIT) {
            refusal[0] = AbortReason.MERGE_LIMIT;
          } else if (abandon.reason() == Vote.Reason.READ_AS_ABSENT
              || (abandon.reason() == Vote.Reason.WRITE_MISSED && abandon.isFinal())) {
            refusal[0] = AbortReason.CONFLICT; // a later reader has committed: too late to write
          }
        });
    return refusal[0];
  }

  /**
   * Between half and all of a delay, drawn from the identities of transaction and execution: a
   * machine has no randomness of its own.
   */
  private long spread(long delayMicros) {
    long mixed =
        (state.attempt.timeMicros() ^ state.attempt.clientId()) * 0x9E3779B97F4A7C15L
            + state.execution;
    mixed = (mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L;
    long half = Math.max(1, delayMicros / 2);
    return half + Math.floorMod(mixed ^ (mixed >>> 32), half);
  }
}
