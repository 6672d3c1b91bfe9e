package org.mortydb.baselines.twophase;

import java.util.List;
import org.mortydb.baselines.log.LeaderLog;
import org.mortydb.baselines.log.ReplicationListener;
import org.mortydb.baselines.message.LeaderMessage.AppendReply;
import org.mortydb.baselines.message.LeaderMessage.Ballot;
import org.mortydb.baselines.message.LeaderMessage.Blocked;
import org.mortydb.baselines.message.LeaderMessage.GiveWay;
import org.mortydb.baselines.message.LeaderMessage.KeepAlive;
import org.mortydb.baselines.message.LeaderMessage.PrepareCommit;
import org.mortydb.baselines.message.LeaderMessage.Rollback;
import org.mortydb.baselines.message.LeaderMessage.SafeTimeQuery;
import org.mortydb.baselines.message.LeaderMessage.SnapshotRead;
import org.mortydb.baselines.message.LeaderMessage.TransactionRead;
import org.mortydb.baselines.message.LeaderMessage.Update;
import org.mortydb.baselines.message.LeaderMessage.Verdict;
import org.mortydb.baselines.message.LeaderMessage.VerdictAck;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.baselines.twophase.Participation.Phase;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.replica.ReplicaOptions;

/**
 * The leader of a partition: a participant in two-phase commits, and the coordinator of
 * transactions that chose this partition to decide (docs/reference/baselines.md). It isolates
 * transactions by a {@link ConcurrencyControl}, orders them by increasing timestamps, and makes
 * promises and outcomes durable in the partition's log.
 */
final class Leader implements PartitionRole, ConcurrencyControl.Grants, ReplicationListener {
  private final LeaderState state;
  private final LeaderReads reads;
  private final Endings endings;
  private final CommitCoordinator coordinator;
  private final Participant participant;

  Leader(
      ReplicaId self,
      Topology topology,
      ReplicaOptions options,
      BaselineRules rules,
      ConcurrencyControl.Factory controls) {
    boolean hasSnapshots = controls.hasSnapshots();
    Versions versions = Versions.of(hasSnapshots, options);
    ConcurrencyControl control = controls.create(this, versions, rules);
    LeaderLog log = new LeaderLog(self, topology.replicas(), rules.logQuorum(topology.f()), this);
    state = new LeaderState(self, topology, options, rules, hasSnapshots, versions, control, log);
    reads = new LeaderReads(state, controls.readsAnywhere());
    endings = new Endings(state, reads);
    coordinator = new CommitCoordinator(state, endings);
    participant = new Participant(state, endings, coordinator);
  }

  @Override
  public Versions versions() {
    return state.versions;
  }

  @Override
  public int openTransactions() {
    return state.participations.open().size() + state.participations.unacknowledged().size();
  }

  @Override
  public List<TxnId> undecided() {
    return state.participations.open().stream().map(Participation::txn).sorted().toList();
  }

  @Override
  public void checkInvariants() {
    int written = 0;
    for (Participation p : state.participations.open()) {
      PartitionRole.check(!p.isDone(), p + " is open");
      boolean isPending =
          p.phase == Phase.COMMITTING || (p.phase == Phase.PREPARED && p.prepareMicros != 0);
      for (Write write : isPending ? p.writes() : List.<Write>of()) {
        written++;
        PartitionRole.check(
            state.pending.has(p.txn(), write.key()), p + " may not write " + write.key());
      }
    }
    PartitionRole.check(
        written == state.pending.size(),
        "somebody writes who is over: " + state.pending.size() + " keys");
    PartitionRole.check(
        state.participations.open().stream().anyMatch(p -> p.hasReserved)
            || state.escrow.size() == 0,
        "sums are reserved for nobody");
    state.control.checkInvariants(
        txn -> {
          Participation p = state.participations.get(txn);
          return p != null && !p.isDone();
        });
    state.log.checkInvariants();
  }

  // ---- events -------------------------------------------------------------------------------

  @Override
  public void onMessage(long now, Endpoint from, Message message, Effects out) {
    state.begin(now, out);
    switch (message) {
      case TransactionRead m -> reads.onRead(from, m);
      case SnapshotRead m -> reads.onSnapshot(from, m);
      case Update m -> reads.onUpdate(from, m);
      case PrepareCommit m -> participant.onPrepare(from, m);
      case Rollback m -> participant.onRollback(from, m);
      case KeepAlive m -> participant.onKeepAlive(from, m);
      case Ballot m when from instanceof ReplicaId replica -> coordinator.onBallot(replica, m);
      case Verdict m when from instanceof ReplicaId replica -> participant.onVerdict(replica, m);
      case Blocked m when from instanceof ReplicaId replica -> coordinator.onBlocked(replica, m);
      case GiveWay m when from instanceof ReplicaId -> coordinator.onGiveWay(m);
      case VerdictAck m when from instanceof ReplicaId replica ->
          state.participations.acknowledge(m.txn(), replica.partition(), state.self.partition());
      case AppendReply m when from instanceof ReplicaId replica ->
          state.log.onReply(now, replica, m, out);
      case SafeTimeQuery m -> {
        if (m.atMicros() <= state.latestAllowedMicros()) {
          state.raiseToSnapshot(m.atMicros());
          state.log.flush(now, state.safeMicros(), out);
        }
      }
      default -> {}
    }
    state.end();
  }

  @Override
  public void onTimer(long now, Timer timer, Effects out) {
    state.begin(now, out);
    switch (timer) {
      case TICK -> onTick();
      case FLUSH -> state.log.onFlush(now, state.safeMicros(), out);
      case COMMIT_WAIT -> state.log.onWaited(now, out);
      case RESEND, SLOW_PATH, REVOTE, DEADLINE -> {}
    }
    state.end();
  }

  private void onTick() {
    state.out().armTimer(Timer.TICK, state.options.tickMicros());
    long resendMicros = state.options.inquireMicros() / 2;
    participant.onTick(resendMicros);
    coordinator.onTick(resendMicros);
    state.participations.forget(state.nowMicros - state.options.retentionMicros());
    long horizonMicros = state.lastMicros() - state.options.retentionMicros();
    state.versions.trim(horizonMicros);
    state.control.tick(state.nowMicros, resendMicros, horizonMicros);
    long patienceMicros = Math.max(state.options.tickMicros(), state.options.inquireMicros() / 8);
    state.log.onTick(state.nowMicros, patienceMicros, state.safeMicros(), state.out());
  }

  // ---- concurrency control ------------------------------------------------------------------

  @Override
  public void readGranted(Participation p, Key key) {
    reads.granted(p, key);
  }

  @Override
  public void prepareGranted(Participation p) {
    participant.granted(p);
  }

  @Override
  public void abort(Participation p) {
    endings.abort(p);
  }

  @Override
  public void askToGiveWay(Participation p) {
    participant.askToGiveWay(p);
  }

  // ---- the log ------------------------------------------------------------------------------

  @Override
  public void replicated(long now, LogEntry entry, Effects out) {
    Participation p = state.participations.get(entry.txn());
    if (p == null) {
      return; // forgotten: only what was aborted can be, before its entry is replicated
    }
    switch (entry) {
      case LogEntry.Prepared ignored -> participant.promised(p);
      case LogEntry.Committed ignored -> {
        if (p.coordinator != state.self.partition()) {
          participant.learnt(p);
        }
      }
      case LogEntry.Aborted ignored -> {}
    }
  }

  @Override
  public void applied(long now, LogEntry entry, Effects out) {
    Participation p = state.participations.get(entry.txn());
    if (p != null && p.phase == Phase.COMMITTING && entry instanceof LogEntry.Committed) {
      if (p.coordinator == state.self.partition()) {
        coordinator.committed(p);
      } else {
        endings.install(p);
      }
    }
  }
}
