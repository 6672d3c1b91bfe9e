package org.mortydb.baselines.twophase;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.mortydb.baselines.log.FollowerLog;
import org.mortydb.baselines.message.LeaderMessage.Append;
import org.mortydb.baselines.message.LeaderMessage.SafeTimeQuery;
import org.mortydb.baselines.message.LeaderMessage.SnapshotRead;
import org.mortydb.baselines.message.LeaderMessage.TransactionRead;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.baselines.twophase.Versions.Version;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.replica.ReplicaOptions;

/**
 * A replica that follows its partition's leader. It holds the log, and serves complete snapshots,
 * or reads that are validated later.
 */
final class Follower implements PartitionRole {
  private final ReplicaId self;
  private final ReplicaId leader;
  private final Topology topology;
  private final ReplicaOptions options;
  private final BaselineRules rules;
  private final boolean readsAnywhere;
  private final FollowerLog log = new FollowerLog(this::apply);
  private final Versions versions;
  private final Pending pending = new Pending();

  /** The writes of transactions with an applied prepared entry and no outcome. */
  private final HashMap<TxnId, List<Write>> prepared = new HashMap<>();

  /** Snapshot reads above the safe time, earliest first. */
  private final PriorityQueue<SnapshotWaiter> early =
      new PriorityQueue<>(Comparator.comparingLong(SnapshotWaiter::atMicros));

  private final ArrayDeque<SnapshotWaiter> woken = new ArrayDeque<>();
  private long askedMicros;

  Follower(
      ReplicaId self,
      Topology topology,
      ReplicaOptions options,
      BaselineRules rules,
      ConcurrencyControl.Factory controls) {
    this.self = self;
    this.leader = new ReplicaId(self.partition(), topology.leader(self.partition()));
    this.topology = topology;
    this.options = options;
    this.rules = rules;
    this.readsAnywhere = controls.readsAnywhere();
    this.versions = Versions.of(controls.hasSnapshots(), options);
  }

  @Override
  public Versions versions() {
    return versions;
  }

  @Override
  public int openTransactions() {
    return prepared.size();
  }

  @Override
  public List<TxnId> undecided() {
    return prepared.keySet().stream().sorted().toList();
  }

  @Override
  public void checkInvariants() {
    int written = 0;
    for (Map.Entry<TxnId, List<Write>> open : prepared.entrySet()) {
      for (Write write : open.getValue()) {
        written++;
        PartitionRole.check(
            pending.has(open.getKey(), write.key()),
            open.getKey() + " may not write " + write.key());
      }
    }
    PartitionRole.check(
        written == pending.size(), "somebody writes who is over: " + pending.size() + " keys");
    PartitionRole.check(
        log.appliedIndex() <= log.lastIndex(), "more entries were applied than there are");
  }

  @Override
  public void onMessage(long nowMicros, Endpoint from, Message message, Effects out) {
    switch (message) {
      case Append append when from.equals(leader) -> {
        out.send(leader, log.onAppend(append));
        serveEarly(nowMicros, out);
      }
      case SnapshotRead read -> onSnapshot(nowMicros, from, read, out);
      case TransactionRead read -> onRead(nowMicros, from, read, out);
      default -> {}
    }
    for (SnapshotWaiter reader = woken.poll(); reader != null; reader = woken.poll()) {
      serve(nowMicros, reader, out);
    }
  }

  @Override
  public void onTimer(long nowMicros, Timer timer, Effects out) {
    if (timer != Timer.TICK) {
      return;
    }
    out.armTimer(Timer.TICK, options.tickMicros());
    versions.trim(Math.min(log.safeMicros(), nowMicros) - options.retentionMicros());
    // Their clients have given up long ago.
    early.removeIf(reader -> reader.atMicros() < nowMicros - options.retentionMicros());
    askedMicros = 0;
    ask(out);
  }

  // ---- the log ------------------------------------------------------------------------------

  private void apply(LogEntry entry) {
    switch (entry) {
      case LogEntry.Prepared(TxnId txn, long prepareMicros, List<Write> writes) -> {
        prepared.put(txn, writes);
        pending.add(txn, prepareMicros, writes);
      }
      case LogEntry.Committed(TxnId txn, long commitMicros, List<Write> writes) -> {
        List<Write> earlier = prepared.remove(txn);
        List<Write> all = earlier == null ? writes : earlier;
        versions.install(txn, commitMicros, all);
        woken.addAll(pending.remove(txn, all));
      }
      case LogEntry.Aborted(TxnId txn) -> {
        List<Write> earlier = prepared.remove(txn);
        if (earlier != null) {
          woken.addAll(pending.remove(txn, earlier));
        }
      }
    }
  }

  // ---- reads --------------------------------------------------------------------------------

  private void onRead(long nowMicros, Endpoint from, TransactionRead m, Effects out) {
    if (topology.partitionOf(m.key()) != self.partition()) {
      out.send(from, new Refused(m.txn(), Refusal.WRONG_PARTITION, nowMicros));
    } else if (readsAnywhere) {
      PartitionRole.answer(from, m.txn(), m.request(), m.key(), versions.newest(m.key()), out);
    } else {
      out.send(from, new Refused(m.txn(), Refusal.NOT_SERVING, nowMicros));
    }
  }

  private void onSnapshot(long nowMicros, Endpoint from, SnapshotRead m, Effects out) {
    long latestMicros =
        nowMicros + options.allowedSkewMicros() + 2 * options.clockUncertaintyMicros();
    if (topology.partitionOf(m.key()) != self.partition()) {
      out.send(from, new Refused(m.txn(), Refusal.WRONG_PARTITION, nowMicros));
    } else if (m.atMicros() > latestMicros) {
      out.send(from, new Refused(m.txn(), Refusal.CLOCK_AHEAD, nowMicros));
    } else {
      SnapshotWaiter reader = new SnapshotWaiter(from, m.txn(), m.request(), m.key(), m.atMicros());
      if (isSafe(reader)) {
        serve(nowMicros, reader, out);
      } else if (!early.contains(reader)) {
        early.add(reader);
        ask(out);
      }
    }
  }

  private boolean isSafe(SnapshotWaiter reader) {
    return reader.atMicros() - 1 <= log.safeMicros() || !rules.waitsForSafeTime();
  }

  /** Asks the leader for a safe time, unless a later one was requested since the last tick. */
  private void ask(Effects out) {
    long wantedMicros = 0;
    for (SnapshotWaiter reader : early) {
      wantedMicros = Math.max(wantedMicros, reader.atMicros());
    }
    if (wantedMicros > askedMicros) {
      askedMicros = wantedMicros;
      out.send(leader, new SafeTimeQuery(wantedMicros));
    }
  }

  private void serveEarly(long nowMicros, Effects out) {
    for (SnapshotWaiter next = early.peek(); next != null && isSafe(next); next = early.peek()) {
      early.remove();
      serve(nowMicros, next, out);
    }
  }

  private void serve(long nowMicros, SnapshotWaiter reader, Effects out) {
    if (rules.waitsForPrepared() && pending.mustWait(reader)) {
      return;
    }
    Version version = versions.below(reader.key(), reader.atMicros());
    if (version == null) {
      out.send(reader.client(), new Refused(reader.txn(), Refusal.TRUNCATED, nowMicros));
    } else {
      PartitionRole.answer(
          reader.client(), reader.txn(), reader.request(), reader.key(), version, out);
    }
  }
}
