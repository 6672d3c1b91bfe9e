package org.mortydb.baselines.twophase;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.log.LeaderLog;
import org.mortydb.baselines.log.LogListener;
import org.mortydb.baselines.message.LeaderMessage;
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
import org.mortydb.baselines.message.LeaderMessage.Verdict;
import org.mortydb.baselines.message.LeaderMessage.VerdictAck;
import org.mortydb.baselines.message.LeaderMessage.VersionReply;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.baselines.twophase.Participation.Phase;
import org.mortydb.baselines.twophase.Versions.Version;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.replica.ReplicaOptions;

/**
 * The leader of a partition: a participant in two-phase commits, and the coordinator of those that
 * chose this partition to decide (docs/baselines.md). Keeps transactions apart with a {@link
 * ConcurrencyControl}, orders them by timestamps that only grow, and makes promises and outcomes
 * last by the partition's log.
 */
final class Leader implements PartitionRole, ConcurrencyControl.Grants, LogListener {
  /** A transaction whose client is silent for so many times the inquire time is aborted. */
  private static final int SILENT_INQUIRIES = 4;

  private final ReplicaId self;
  private final Topology topology;
  private final ReplicaOptions options;
  private final BaselineRules rules;
  private final boolean readsAnywhere;
  private final boolean hasSnapshots;
  private final ConcurrencyControl control;
  private final LeaderLog log;
  private final Versions versions;
  private final Pending pending = new Pending();
  private final Participations participations = new Participations();

  /** Every later timestamp is above it; even, as those of commits are. */
  private long lastMicros;

  private long nowMicros;
  private @Nullable Effects effects;

  Leader(
      ReplicaId self,
      Topology topology,
      ReplicaOptions options,
      BaselineRules rules,
      ConcurrencyControl.Factory controls) {
    this.self = self;
    this.topology = topology;
    this.options = options;
    this.rules = rules;
    this.readsAnywhere = controls.readsAnywhere();
    this.hasSnapshots = controls.hasSnapshots();
    this.versions = new Versions(controls.hasSnapshots() ? options.maxVersionsPerKey() : 1);
    this.control = controls.create(this, versions, rules);
    this.log = new LeaderLog(self, topology.replicas(), rules.logQuorum(topology.f()), this);
  }

  @Override
  public Versions versions() {
    return versions;
  }

  @Override
  public int openTransactions() {
    return participations.open().size() + participations.unacknowledged().size();
  }

  private Effects out() {
    Effects current = effects;
    if (current == null) {
      throw new IllegalStateException("an effect outside of a step");
    }
    return current;
  }

  // ---- events -------------------------------------------------------------------------------

  @Override
  public void onMessage(long now, Endpoint from, Message message, Effects out) {
    begin(now, out);
    switch (message) {
      case TransactionRead m -> onRead(from, m);
      case SnapshotRead m -> onSnapshot(from, m);
      case PrepareCommit m -> onPrepare(from, m);
      case Rollback m -> onRollback(from, m);
      case KeepAlive m -> onKeepAlive(from, m);
      case Ballot m when from instanceof ReplicaId replica -> onBallot(replica, m);
      case Verdict m when from instanceof ReplicaId -> onVerdict(from, m);
      case Blocked m when from instanceof ReplicaId replica -> onBlocked(replica, m);
      case GiveWay m when from instanceof ReplicaId -> onGiveWay(m);
      case VerdictAck m when from instanceof ReplicaId replica ->
          participations.acknowledge(m.txn(), replica.partition(), self.partition());
      case AppendReply m when from instanceof ReplicaId replica ->
          log.onReply(now, replica, m, out);
      case SafeTimeQuery m -> {
        if (m.atMicros() <= latestAllowedMicros()) {
          raise(m.atMicros() - 1);
          log.flush(now, safeMicros(), out);
        }
      }
      default -> {}
    }
    end();
  }

  @Override
  public void onTimer(long now, Timer timer, Effects out) {
    begin(now, out);
    switch (timer) {
      case TICK -> onTick();
      case FLUSH -> log.onFlush(now, safeMicros(), out);
      case COMMIT_WAIT -> log.onWaited(now, out);
      case RESEND, SLOW_PATH, REVOTE, DEADLINE -> {}
    }
    end();
  }

  private void begin(long now, Effects out) {
    nowMicros = now;
    effects = out;
  }

  private void end() {
    log.endStep(nowMicros, safeMicros(), out());
    effects = null;
  }

  // ---- timestamps ---------------------------------------------------------------------------

  /** A promise for followers: nothing new gets a timestamp at or below it. */
  private long safeMicros() {
    if (!hasSnapshots) {
      return 0;
    }
    raise(nowMicros & ~1L);
    return lastMicros;
  }

  private void raise(long micros) {
    lastMicros = Math.max(lastMicros, micros);
  }

  /** The next timestamp of this leader, at or above a bound. */
  private long nextTimestamp(long leastMicros) {
    lastMicros = Math.max(lastMicros + 2, (leastMicros + 1) & ~1L);
    return lastMicros;
  }

  private long latestAllowedMicros() {
    return nowMicros + options.allowedSkewMicros() + 2 * options.clockUncertaintyMicros();
  }

  // ---- reads --------------------------------------------------------------------------------

  private void onRead(Endpoint from, TransactionRead m) {
    if (refuses(from, m.txn(), m.key())) {
      return;
    }
    if (readsAnywhere) {
      answer(from, m.txn(), m.request(), versions.newest(m.key()));
      return;
    }
    Participation p = participations.get(m.txn());
    if (p == null) {
      p = participations.open(m.txn(), m.ageMicros(), nowMicros);
    }
    p.heardMicros = nowMicros;
    if (p.hasAborted()) {
      out().send(from, new Verdict(m.txn(), LeaderMessage.ABORTED));
    } else if (p.phase == Phase.ACTIVE) {
      p.pendingReads.put(m.key(), m.request());
      control.read(nowMicros, p, m.key());
    }
  }

  @Override
  public void readGranted(Participation p, Key key) {
    Integer request = p.pendingReads.remove(key);
    if (request != null && p.phase == Phase.ACTIVE) {
      answer(clientOf(p), p.txn(), request, versions.newest(key));
    }
  }

  private void onSnapshot(Endpoint from, SnapshotRead m) {
    if (refuses(from, m.txn(), m.key())) {
      return;
    }
    if (m.atMicros() > latestAllowedMicros()) {
      refuse(from, m.txn(), Refusal.CLOCK_AHEAD);
      return;
    }
    raise(m.atMicros() - 1);
    serve(new SnapshotWaiter(from, m.txn(), m.request(), m.key(), m.atMicros()));
  }

  private void serve(SnapshotWaiter reader) {
    if (rules.waitsForPrepared() && pending.mustWait(reader)) {
      return;
    }
    Version version = versions.below(reader.key(), reader.atMicros());
    if (version == null) {
      refuse(reader.client(), reader.txn(), Refusal.TRUNCATED);
    } else {
      answer(reader.client(), reader.txn(), reader.request(), version);
    }
  }

  private void answer(Endpoint to, TxnId txn, int request, Version version) {
    out().send(to, new VersionReply(txn, request, version.id(), version.value()));
  }

  private boolean refuses(Endpoint from, TxnId txn, Key key) {
    if (topology.partitionOf(key) != self.partition()) {
      refuse(from, txn, Refusal.WRONG_PARTITION);
      return true;
    }
    return refuses(from, txn);
  }

  /**
   * Nothing is begun for a transaction that may be over and forgotten, or that is too far ahead.
   */
  private boolean refuses(Endpoint from, TxnId txn) {
    if (participations.get(txn) != null) {
      return false;
    }
    if (participations.isForgotten(txn)) {
      refuse(from, txn, Refusal.TRUNCATED);
      return true;
    }
    if (txn.timeMicros() > latestAllowedMicros()) {
      refuse(from, txn, Refusal.CLOCK_AHEAD);
      return true;
    }
    return false;
  }

  private void refuse(Endpoint to, TxnId txn, Refusal reason) {
    out().send(to, new Refused(txn, reason, nowMicros));
  }

  // ---- participant --------------------------------------------------------------------------

  private void onPrepare(Endpoint from, PrepareCommit m) {
    if (refuses(from, m.txn())) {
      return;
    }
    Participation p = participations.get(m.txn());
    if (p == null) {
      p = participations.open(m.txn(), m.ageMicros(), nowMicros);
    }
    p.heardMicros = nowMicros;
    switch (p.phase) {
      case ACTIVE -> {
        p.request(m);
        if (log.isFull()) {
          abort(p);
        } else {
          p.phase = Phase.PREPARING;
          control.prepare(nowMicros, p);
          tellIfBlocked(p);
        }
      }
      case PREPARED -> sendBallot(p);
      case PREPARING -> tellIfBlocked(p);
      case COMMITTING -> {}
      case DONE -> {
        if (p.hasAborted() || p.coordinator == self.partition()) {
          out().send(from, new Verdict(p.txn(), p.commitMicros));
        }
      }
    }
  }

  @Override
  public void prepareGranted(Participation p) {
    p.phase = Phase.PREPARED;
    if (p.coordinator == self.partition()) {
      p.prepared.set(self.partition());
      decideIfComplete(p);
      return;
    }
    p.prepareMicros = nextTimestamp(nowMicros);
    if (p.writes().isEmpty()) {
      // What it has read is protected as long as this leader is there, which is for ever.
      p.mayVote = true;
      sendBallot(p);
    } else {
      pending.add(p.txn(), p.prepareMicros, p.writes());
      log.append(new LogEntry.Prepared(p.txn(), p.prepareMicros, p.writes()));
    }
  }

  /** Whoever waits may be in the way of others elsewhere, where it is prepared. */
  private void tellIfBlocked(Participation p) {
    if (p.phase != Phase.PREPARING) {
      return;
    }
    if (p.coordinator == self.partition()) {
      giveWayIfBlocked(p);
    } else {
      out().send(leaderOf(p.coordinator), new Blocked(p.txn()));
    }
  }

  private void sendBallot(Participation p) {
    if (p.phase == Phase.PREPARED && p.mayVote && p.coordinator != self.partition()) {
      p.toldMicros = nowMicros;
      out().send(leaderOf(p.coordinator), new Ballot(p.txn(), p.prepareMicros));
    }
  }

  private void onVerdict(Endpoint from, Verdict m) {
    Participation p = participations.get(m.txn());
    if (p == null) {
      if (m.isCommit()) {
        out().send(from, new VerdictAck(m.txn()));
      } else if (!participations.isForgotten(m.txn())) {
        participations.closed(m.txn(), nowMicros); // its Prepare may still come
      }
    } else if (!m.isCommit()) {
      if (!p.isDone()) {
        finishAbort(p);
      }
    } else if (p.phase == Phase.PREPARED) {
      commitPrepared(p, m.commitMicros());
    } else if (p.hasCommitted()) {
      acknowledge(p);
    } else {
      throw new IllegalStateException(p + " is told to commit at " + m.commitMicros());
    }
  }

  /**
   * The outcome is durable at the coordinator group, and the writes are here: they may be seen, and
   * what protects them released, before this partition's log says so too.
   */
  private void commitPrepared(Participation p, long commitMicros) {
    raise(commitMicros);
    p.commitMicros = commitMicros;
    if (p.writes().isEmpty()) {
      p.mayAcknowledge = true;
    } else {
      log.append(new LogEntry.Committed(p.txn(), commitMicros, List.of()));
    }
    install(p);
    acknowledge(p);
  }

  private void acknowledge(Participation p) {
    if (p.mayAcknowledge) {
      out().send(leaderOf(p.coordinator), new VerdictAck(p.txn()));
    }
  }

  private void install(Participation p) {
    versions.install(p.txn(), p.commitMicros, p.writes());
    List<SnapshotWaiter> woken = pending.remove(p.txn(), p.writes());
    finish(p);
    woken.forEach(this::serve);
    if (out().probing()) {
      out().probe(new Probe.Installed(p.txn(), Outcome.commit(0, p.participants)));
    }
  }

  private void finish(Participation p) {
    p.phase = Phase.DONE;
    p.pendingReads.clear();
    control.release(p);
    participations.close(p, nowMicros);
  }

  // ---- abort --------------------------------------------------------------------------------

  @Override
  public void abort(Participation p) {
    finishAbort(p);
    out().send(clientOf(p), new Verdict(p.txn(), LeaderMessage.ABORTED));
    if (p.coordinator == self.partition()) {
      for (int partition : p.participants) {
        if (partition != self.partition()) {
          out().send(leaderOf(partition), new Verdict(p.txn(), LeaderMessage.ABORTED));
        }
      }
    } else if (p.coordinator != Participation.NOBODY) {
      out().send(leaderOf(p.coordinator), new Ballot(p.txn(), LeaderMessage.ABORTED));
    }
  }

  @Override
  public void askToGiveWay(Participation p) {
    if (p.phase != Phase.PREPARED) {
      return;
    }
    if (p.coordinator == self.partition()) {
      p.isInTheWay = true;
      giveWayIfBlocked(p);
    } else {
      out().send(leaderOf(p.coordinator), new GiveWay(p.txn()));
    }
  }

  private void finishAbort(Participation p) {
    boolean isLogged = p.prepareMicros != 0 && !p.writes().isEmpty();
    p.commitMicros = LeaderMessage.ABORTED;
    List<SnapshotWaiter> woken = List.of();
    if (isLogged) {
      woken = pending.remove(p.txn(), p.writes());
      log.append(new LogEntry.Aborted(p.txn()));
    }
    finish(p);
    woken.forEach(this::serve);
    if (out().probing()) {
      out().probe(new Probe.Installed(p.txn(), Outcome.ABORT));
    }
  }

  private void onRollback(Endpoint from, Rollback m) {
    Participation p = participations.get(m.txn());
    if (p == null) {
      if (!participations.isForgotten(m.txn())) {
        participations.closed(m.txn(), nowMicros); // what was sent before may still come
      }
      answerClient(from, m.txn(), LeaderMessage.ABORTED);
    } else if (p.isDone()) {
      answerClient(from, m.txn(), p.commitMicros);
    } else if (p.isWoundable() || isUndecidedHere(p)) {
      abort(p);
    }
  }

  private boolean isUndecidedHere(Participation p) {
    return p.phase == Phase.PREPARED && p.coordinator == self.partition();
  }

  private void answerClient(Endpoint from, TxnId txn, long commitMicros) {
    if (from instanceof ClientId) {
      out().send(from, new Verdict(txn, commitMicros));
    }
  }

  private void onKeepAlive(Endpoint from, KeepAlive m) {
    Participation p = participations.get(m.txn());
    if (p != null && p.hasAborted()) {
      answerClient(from, m.txn(), LeaderMessage.ABORTED);
    } else if (p != null) {
      p.heardMicros = nowMicros;
    }
  }

  // ---- coordinator --------------------------------------------------------------------------

  private void onBallot(ReplicaId from, Ballot m) {
    Participation p = participations.get(m.txn());
    if (p == null) {
      if (participations.isForgotten(m.txn())) {
        // A commit is not forgotten before all participants have acknowledged it.
        out().send(from, new Verdict(m.txn(), LeaderMessage.ABORTED));
        return;
      }
      p = participations.open(m.txn(), m.txn().timeMicros(), nowMicros);
    }
    boolean aborts = m.prepareMicros() == LeaderMessage.ABORTED;
    switch (p.phase) {
      case DONE -> {
        if (!aborts) {
          out().send(from, new Verdict(p.txn(), p.commitMicros));
        }
      }
      case COMMITTING -> {}
      case ACTIVE, PREPARING, PREPARED -> {
        if (aborts) {
          abort(p);
        } else {
          p.prepared.set(from.partition());
          p.blocked.clear(from.partition());
          p.latestPrepareMicros = Math.max(p.latestPrepareMicros, m.prepareMicros());
          decideIfComplete(p);
        }
      }
    }
  }

  private void onBlocked(ReplicaId from, Blocked m) {
    Participation p = undecided(m.txn());
    if (p != null && !p.prepared.get(from.partition())) {
      p.blocked.set(from.partition());
      giveWayIfBlocked(p);
    }
  }

  private void onGiveWay(GiveWay m) {
    Participation p = undecided(m.txn());
    if (p != null) {
      p.isInTheWay = true;
      giveWayIfBlocked(p);
    }
  }

  /** A transaction that this partition is to decide and has not, known or not yet. */
  private @Nullable Participation undecided(TxnId txn) {
    Participation p = participations.get(txn);
    if (p == null && !participations.isForgotten(txn)) {
      return participations.open(txn, txn.timeMicros(), nowMicros);
    }
    return p == null || p.isDone() || p.phase == Phase.COMMITTING ? null : p;
  }

  private void giveWayIfBlocked(Participation p) {
    boolean isBlocked = p.phase == Phase.PREPARING || !p.blocked.isEmpty();
    if (p.isInTheWay && isBlocked) {
      abort(p);
    }
  }

  private void decideIfComplete(Participation p) {
    if (p.phase != Phase.PREPARED || !p.isPreparedEverywhere()) {
      return;
    }
    // Without snapshots the order of timestamps that do not conflict is seen by nobody.
    long uncertaintyMicros = hasSnapshots ? options.clockUncertaintyMicros() : 0;
    long commitMicros =
        nextTimestamp(Math.max(p.latestPrepareMicros, nowMicros + uncertaintyMicros));
    p.commitMicros = commitMicros;
    p.phase = Phase.COMMITTING;
    if (p.readOnly && uncertaintyMicros == 0) {
      install(p);
      tellVerdict(p);
      return;
    }
    pending.add(p.txn(), commitMicros, p.writes());
    long notBeforeMicros =
        uncertaintyMicros == 0 ? Long.MIN_VALUE : commitMicros + uncertaintyMicros + 1;
    log.append(new LogEntry.Committed(p.txn(), commitMicros, p.writes()), notBeforeMicros);
  }

  private void tellVerdict(Participation p) {
    p.toldMicros = nowMicros;
    out().send(clientOf(p), new Verdict(p.txn(), p.commitMicros));
    if (!p.isAcknowledged(self.partition())) {
      participations.awaitAcknowledgements(p);
      tellParticipants(p);
    }
  }

  private void tellParticipants(Participation p) {
    for (int partition : p.participants) {
      if (partition != self.partition() && !p.acknowledged.get(partition)) {
        out().send(leaderOf(partition), new Verdict(p.txn(), p.commitMicros));
      }
    }
  }

  // ---- the log ------------------------------------------------------------------------------

  @Override
  public void replicated(long now, LogEntry entry, Effects out) {
    Participation p = participations.get(entry.txn());
    if (p == null) {
      return; // forgotten: only what was aborted can be, before its entry is replicated
    }
    switch (entry) {
      case LogEntry.Prepared ignored -> {
        p.mayVote = true;
        if (p.phase == Phase.PREPARED) {
          sendBallot(p);
        }
      }
      case LogEntry.Committed ignored -> {
        if (p.coordinator != self.partition()) {
          p.mayAcknowledge = true;
          acknowledge(p);
        }
      }
      case LogEntry.Aborted ignored -> {}
    }
  }

  @Override
  public void applied(long now, LogEntry entry, Effects out) {
    Participation p = participations.get(entry.txn());
    if (p != null && p.phase == Phase.COMMITTING) {
      install(p);
      tellVerdict(p);
    }
  }

  // ---- time ---------------------------------------------------------------------------------

  private void onTick() {
    out().armTimer(Timer.TICK, options.tickMicros());
    long resendMicros = options.inquireMicros() / 2;
    for (Participation p : new ArrayList<>(participations.open())) {
      boolean isClients = p.isWoundable() || isUndecidedHere(p);
      if (isClients && nowMicros - p.heardMicros > SILENT_INQUIRIES * options.inquireMicros()) {
        abort(p);
      } else if (nowMicros - p.toldMicros >= resendMicros) {
        p.toldMicros = nowMicros;
        sendBallot(p);
        tellIfBlocked(p);
      }
    }
    for (Participation p : participations.unacknowledged()) {
      if (nowMicros - p.toldMicros >= resendMicros) {
        p.toldMicros = nowMicros;
        tellParticipants(p);
      }
    }
    participations.forget(nowMicros - options.retentionMicros());
    versions.trim(lastMicros - options.retentionMicros());
    control.tick(nowMicros, resendMicros);
    long patienceMicros = Math.max(options.tickMicros(), options.inquireMicros() / 8);
    log.onTick(nowMicros, patienceMicros, safeMicros(), out());
  }

  private ReplicaId leaderOf(int partition) {
    return new ReplicaId(partition, topology.leader(partition));
  }

  private static ClientId clientOf(Participation p) {
    return new ClientId(p.txn().clientId());
  }
}
