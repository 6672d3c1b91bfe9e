package org.mortydb.baselines.twophase;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.message.LeaderMessage;
import org.mortydb.baselines.message.LeaderMessage.Ballot;
import org.mortydb.baselines.message.LeaderMessage.Blocked;
import org.mortydb.baselines.message.LeaderMessage.GiveWay;
import org.mortydb.baselines.message.LeaderMessage.Verdict;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.baselines.twophase.Participation.Phase;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/** The leader's role as coordinator, for the transactions that chose its partition to decide. */
final class CommitCoordinator {
  private final LeaderState state;
  private final Endings endings;

  CommitCoordinator(LeaderState state, Endings endings) {
    this.state = state;
    this.endings = endings;
  }

  void onBallot(ReplicaId from, Ballot m) {
    Participation p = state.participations.get(m.txn());
    if (p == null) {
      if (state.participations.isForgotten(m.txn())) {
        // A commit is forgotten only after all participants have acknowledged it.
        state.out().send(from, new Verdict(m.txn(), LeaderMessage.ABORTED));
        return;
      }
      p = state.participations.open(m.txn(), m.txn().timeMicros(), state.nowMicros);
    }
    boolean aborts = m.prepareMicros() == LeaderMessage.ABORTED;
    switch (p.phase) {
      case DONE -> {
        if (!aborts) {
          state.out().send(from, new Verdict(p.txn(), p.commitMicros, p.conflicts()));
        }
      }
      case COMMITTING -> {}
      case ACTIVE, PREPARING, PREPARED -> {
        if (aborts) {
          p.informed.set(from.partition());
          endings.abort(p);
        } else {
          if (state.rules.spreadsConflicts()) {
            p.add(m.conflicts());
          }
          p.prepared.set(from.partition());
          p.blocked.clear(from.partition());
          p.latestPrepareMicros = Math.max(p.latestPrepareMicros, m.prepareMicros());
          decideIfComplete(p);
        }
      }
    }
  }

  /** Tells the participants that the request names of an abort that precedes it. */
  void onLateRequest(Participation p, List<Integer> participants) {
    BitSet all = new BitSet();
    participants.forEach(all::set);
    endings.tellAborted(p, all);
  }

  void onBlocked(ReplicaId from, Blocked m) {
    Participation p = undecided(m.txn());
    if (p != null && !p.prepared.get(from.partition())) {
      p.blocked.set(from.partition());
      giveWayIfBlocked(p);
    }
  }

  void onGiveWay(GiveWay m) {
    Participation p = undecided(m.txn());
    if (p != null) {
      p.isInTheWay = true;
      giveWayIfBlocked(p);
    }
  }

  /** A transaction that this partition decides and has not decided yet. Created if unknown. */
  private @Nullable Participation undecided(TxnId txn) {
    Participation p = state.participations.get(txn);
    if (p == null && !state.participations.isForgotten(txn)) {
      return state.participations.open(txn, txn.timeMicros(), state.nowMicros);
    }
    return p == null || p.isDone() || p.phase == Phase.COMMITTING ? null : p;
  }

  /** Aborts a transaction that waits somewhere while an older one waits for it. */
  void giveWayIfBlocked(Participation p) {
    boolean isBlocked = p.phase == Phase.PREPARING || !p.blocked.isEmpty();
    if (p.isInTheWay && isBlocked) {
      endings.abort(p);
    }
  }

  /** Commits once all participants have prepared. */
  void decideIfComplete(Participation p) {
    if (p.phase != Phase.PREPARED || !p.isPreparedEverywhere()) {
      return;
    }
    if (p.conflicts().isPivot()) {
      endings.abort(p);
      return;
    }
    // Without snapshots, the order of timestamps that do not conflict cannot be observed.
    long uncertaintyMicros = state.hasSnapshots ? state.options.clockUncertaintyMicros() : 0;
    long commitMicros =
        state.nextTimestamp(Math.max(p.latestPrepareMicros, state.nowMicros + uncertaintyMicros));
    p.commitMicros = commitMicros;
    p.phase = Phase.COMMITTING;
    if (p.readOnly && uncertaintyMicros == 0) {
      endings.install(p);
      tellVerdict(p);
      return;
    }
    state.pending.add(p.txn(), commitMicros, p.writes());
    long notBeforeMicros =
        uncertaintyMicros == 0 ? Long.MIN_VALUE : commitMicros + uncertaintyMicros + 1;
    state.log.append(new LogEntry.Committed(p.txn(), commitMicros, p.writes()), notBeforeMicros);
  }

  /** The commit record is durable, so the outcome may be revealed. */
  void committed(Participation p) {
    endings.install(p);
    tellVerdict(p);
  }

  private void tellVerdict(Participation p) {
    p.toldMicros = state.nowMicros;
    state.out().send(LeaderState.clientOf(p), new Verdict(p.txn(), p.commitMicros, p.conflicts()));
    if (!p.isAcknowledged(state.self.partition())) {
      state.participations.awaitAcknowledgements(p);
      tellParticipants(p);
    }
  }

  /** Sends a commit again to participants that have not acknowledged it. */
  void onTick(long resendMicros) {
    for (Participation p : state.participations.unacknowledged()) {
      if (state.nowMicros - p.toldMicros >= resendMicros) {
        p.toldMicros = state.nowMicros;
        tellParticipants(p);
      }
    }
  }

  private void tellParticipants(Participation p) {
    for (int partition : p.participants) {
      if (partition != state.self.partition() && !p.informed.get(partition)) {
        state
            .out()
            .send(state.leaderOf(partition), new Verdict(p.txn(), p.commitMicros, p.conflicts()));
      }
    }
  }
}
