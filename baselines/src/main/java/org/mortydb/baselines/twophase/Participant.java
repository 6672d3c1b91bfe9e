package org.mortydb.baselines.twophase;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.baselines.message.LeaderMessage;
import org.mortydb.baselines.message.LeaderMessage.Ballot;
import org.mortydb.baselines.message.LeaderMessage.Blocked;
import org.mortydb.baselines.message.LeaderMessage.GiveWay;
import org.mortydb.baselines.message.LeaderMessage.KeepAlive;
import org.mortydb.baselines.message.LeaderMessage.PrepareCommit;
import org.mortydb.baselines.message.LeaderMessage.Rollback;
import org.mortydb.baselines.message.LeaderMessage.Verdict;
import org.mortydb.baselines.message.LeaderMessage.VerdictAck;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.baselines.twophase.Participation.Phase;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Write;

/** The leader's role as participant: it prepares transactions and learns their outcomes. */
final class Participant {
  /** A transaction is aborted if its client is silent for this many times the inquire time. */
  private static final int SILENT_INQUIRIES = 4;

  private final LeaderState state;
  private final Endings endings;
  private final CommitCoordinator coordinator;

  Participant(LeaderState state, Endings endings, CommitCoordinator coordinator) {
    this.state = state;
    this.endings = endings;
    this.coordinator = coordinator;
  }

  void onPrepare(Endpoint from, PrepareCommit m) {
    if (state.refuses(from, m.txn()) || state.refusesSnapshot(from, m.txn(), m.snapshotMicros())) {
      return;
    }
    Participation p = state.participations.get(m.txn());
    if (p == null) {
      p = state.participations.open(m.txn(), m.ageMicros(), state.nowMicros);
    }
    p.heardMicros = state.nowMicros;
    switch (p.phase) {
      case ACTIVE -> {
        p.request(m);
        if (state.rules.commitsAboveSnapshot()) {
          // A snapshot that shows this transaction must also show what it has read.
          state.raiseToSnapshot(m.snapshotMicros());
        }
        if (state.log.isFull()) {
          endings.abort(p);
        } else {
          p.phase = Phase.PREPARING;
          state.control.prepare(state.nowMicros, p);
          tellIfBlocked(p);
        }
      }
      case PREPARED -> sendBallot(p);
      case PREPARING -> tellIfBlocked(p);
      case COMMITTING -> {}
      case DONE -> {
        if (p.hasAborted()) {
          onLateRequest(p, m);
        }
        if (p.hasAborted() || p.coordinator == state.self.partition()) {
          state.out().send(from, new Verdict(p.txn(), p.commitMicros));
        }
      }
    }
  }

  /** The request of a transaction that has aborted before names those that have to know. */
  private void onLateRequest(Participation p, PrepareCommit m) {
    if (m.coordinator() == state.self.partition()) {
      coordinator.onLateRequest(p, m.participants());
    } else if (p.coordinator == Participation.NOBODY) {
      p.coordinator = m.coordinator();
      state.out().send(state.leaderOf(p.coordinator), new Ballot(p.txn(), LeaderMessage.ABORTED));
    }
  }

  void granted(Participation p) {
    for (Write write : p.writes()) {
      if (!state.versions.fits(write, state.escrow)) {
        state.refuse(LeaderState.clientOf(p), p.txn(), Refusal.INVALID);
        endings.abort(p);
        return;
      }
    }
    p.phase = Phase.PREPARED;
    p.hasReserved = true;
    state.escrow.reserve(p.writes());
    if (p.coordinator == state.self.partition()) {
      p.prepared.set(state.self.partition());
      coordinator.decideIfComplete(p);
      return;
    }
    p.prepareMicros = state.nextTimestamp(state.nowMicros);
    if (p.writes().isEmpty()) {
      // The leader protects its reads for as long as it exists, which is for ever.
      p.mayVote = true;
      sendBallot(p);
    } else {
      state.pending.add(p.txn(), p.prepareMicros, p.writes());
      state.log.append(new LogEntry.Prepared(p.txn(), p.prepareMicros, p.writes()));
    }
  }

  /**
   * Tells coordinator groups about a waiting transaction, because it may delay others where it is
   * prepared.
   */
  private void tellIfBlocked(Participation p) {
    if (p.phase != Phase.PREPARING) {
      return;
    }
    if (p.coordinator == state.self.partition()) {
      coordinator.giveWayIfBlocked(p);
    } else {
      state.out().send(state.leaderOf(p.coordinator), new Blocked(p.txn()));
    }
  }

  void sendBallot(Participation p) {
    if (p.phase == Phase.PREPARED && p.mayVote && p.coordinator != state.self.partition()) {
      p.toldMicros = state.nowMicros;
      state
          .out()
          .send(state.leaderOf(p.coordinator), new Ballot(p.txn(), p.prepareMicros, p.conflicts()));
    }
  }

  void onVerdict(ReplicaId from, Verdict m) {
    Participation p = state.participations.get(m.txn());
    if (p == null) {
      if (m.isCommit()) {
        state.out().send(from, new VerdictAck(m.txn()));
      } else if (!state.participations.isForgotten(m.txn())) {
        // Its Prepare may still come.
        state.participations.closed(m.txn(), state.nowMicros).coordinator = from.partition();
      }
    } else if (!m.isCommit()) {
      p.coordinator = from.partition();
      if (!p.isDone()) {
        endings.finishAbort(p);
      }
    } else if (p.phase == Phase.COMMITTING) {
      acknowledge(p);
    } else if (p.phase == Phase.PREPARED) {
      if (state.rules.spreadsConflicts()) {
        p.add(m.conflicts());
      }
      commitPrepared(p, m.commitMicros());
    } else if (p.hasCommitted()) {
      acknowledge(p);
    } else {
      throw new IllegalStateException(p + " is told to commit at " + m.commitMicros());
    }
  }

  /**
   * Makes the writes visible and releases the locks. The outcome is durable at the coordinator
   * group and the writes are here, so there is no need to wait for this partition's log, unless the
   * order of the log decides what readers see.
   */
  private void commitPrepared(Participation p, long commitMicros) {
    state.raise(commitMicros);
    p.commitMicros = commitMicros;
    if (p.writes().isEmpty()) {
      p.mayAcknowledge = true;
    } else {
      state.log.append(new LogEntry.Committed(p.txn(), commitMicros, List.of()));
    }
    if (state.versions.followLog(p.writes())) {
      p.phase = Phase.COMMITTING;
    } else {
      endings.install(p);
    }
    acknowledge(p);
  }

  /** The record of the prepared transaction is durable. */
  void promised(Participation p) {
    p.mayVote = true;
    sendBallot(p);
  }

  /** The record of an outcome that another partition decided is durable. */
  void learnt(Participation p) {
    p.mayAcknowledge = true;
    acknowledge(p);
  }

  private void acknowledge(Participation p) {
    if (p.mayAcknowledge) {
      state.out().send(state.leaderOf(p.coordinator), new VerdictAck(p.txn()));
    }
  }

  void askToGiveWay(Participation p) {
    if (p.phase != Phase.PREPARED) {
      return;
    }
    if (p.coordinator == state.self.partition()) {
      p.isInTheWay = true;
      coordinator.giveWayIfBlocked(p);
    } else {
      state.out().send(state.leaderOf(p.coordinator), new GiveWay(p.txn()));
    }
  }

  void onRollback(Endpoint from, Rollback m) {
    Participation p = state.participations.get(m.txn());
    if (p == null && state.participations.isForgotten(m.txn())) {
      state.refuse(from, m.txn(), Refusal.TRUNCATED); // it may have committed
    } else if (p == null) {
      state.participations.closed(m.txn(), state.nowMicros); // what was sent before may still come
      state.answerClient(from, m.txn(), LeaderMessage.ABORTED);
    } else if (p.isDone()) {
      state.answerClient(from, m.txn(), p.commitMicros);
    } else if (p.isWoundable() || isUndecidedHere(p)) {
      endings.abort(p);
    }
  }

  private boolean isUndecidedHere(Participation p) {
    return p.phase == Phase.PREPARED && p.coordinator == state.self.partition();
  }

  void onKeepAlive(Endpoint from, KeepAlive m) {
    Participation p = state.participations.get(m.txn());
    if (p != null && p.hasAborted()) {
      state.answerClient(from, m.txn(), LeaderMessage.ABORTED);
    } else if (p != null) {
      p.heardMicros = state.nowMicros;
    }
  }

  /** Aborts transactions of silent clients, and reports to the coordinator groups again. */
  void onTick(long resendMicros) {
    long silenceMicros = SILENT_INQUIRIES * state.options.inquireMicros();
    for (Participation p : new ArrayList<>(state.participations.open())) {
      boolean isClients = p.isWoundable() || isUndecidedHere(p);
      if (isClients && state.nowMicros - p.heardMicros > silenceMicros) {
        endings.abort(p);
      } else if (state.nowMicros - p.toldMicros >= resendMicros) {
        p.toldMicros = state.nowMicros;
        sendBallot(p);
        tellIfBlocked(p);
      }
    }
  }
}
