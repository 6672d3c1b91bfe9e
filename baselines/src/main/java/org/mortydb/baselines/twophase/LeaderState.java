package org.mortydb.baselines.twophase;

import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.log.LeaderLog;
import org.mortydb.baselines.message.LeaderMessage.Verdict;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.replica.ReplicaOptions;

/** The state that the parts of a leader share: tables, log, timestamps, and the current step. */
final class LeaderState {
  final ReplicaId self;
  final Topology topology;
  final ReplicaOptions options;
  final BaselineRules rules;
  final boolean hasSnapshots;
  final Versions versions;
  final ConcurrencyControl control;
  final LeaderLog log;
  final Pending pending = new Pending();
  final Escrow escrow = new Escrow();
  final Participations participations = new Participations();
  long nowMicros;

  /** Every later timestamp is above it. Even, as commit timestamps are. */
  private long lastMicros;

  private @Nullable Effects effects;

  LeaderState(
      ReplicaId self,
      Topology topology,
      ReplicaOptions options,
      BaselineRules rules,
      boolean hasSnapshots,
      Versions versions,
      ConcurrencyControl control,
      LeaderLog log) {
    this.self = self;
    this.topology = topology;
    this.options = options;
    this.rules = rules;
    this.hasSnapshots = hasSnapshots;
    this.versions = versions;
    this.control = control;
    this.log = log;
  }

  /** The last timestamp that was assigned or promised. */
  long lastMicros() {
    return lastMicros;
  }

  /** The effects of the current step. */
  Effects out() {
    Effects current = effects;
    if (current == null) {
      throw new IllegalStateException("an effect outside of a step");
    }
    return current;
  }

  void begin(long now, Effects out) {
    nowMicros = now;
    effects = out;
  }

  void end() {
    log.endStep(nowMicros, safeMicros(), out());
    effects = null;
  }

  // ---- timestamps ---------------------------------------------------------------------------

  /** A promise to followers: no new transaction gets a timestamp at or below it. */
  long safeMicros() {
    if (!hasSnapshots) {
      return 0;
    }
    raise(nowMicros & ~1L);
    return lastMicros;
  }

  void raise(long micros) {
    lastMicros = Math.max(lastMicros, micros);
  }

  /** No later transaction commits below a snapshot, whose timestamp should be odd. */
  void raiseToSnapshot(long atMicros) {
    raise(atMicros & ~1L);
  }

  /** The leader's next timestamp, at or above a bound. */
  long nextTimestamp(long leastMicros) {
    lastMicros = Math.max(lastMicros + 2, (leastMicros + 1) & ~1L);
    return lastMicros;
  }

  long latestAllowedMicros() {
    return nowMicros + options.allowedSkewMicros() + 2 * options.clockUncertaintyMicros();
  }

  // ---- answers ------------------------------------------------------------------------------

  boolean refuses(Endpoint from, TxnId txn, Key key) {
    if (topology.partitionOf(key) != self.partition()) {
      refuse(from, txn, Refusal.WRONG_PARTITION);
      return true;
    }
    return refuses(from, txn);
  }

  /** Refuses a transaction that may be over and forgotten, or whose timestamp is too far ahead. */
  boolean refuses(Endpoint from, TxnId txn) {
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

  /** Refuses a snapshot whose timestamp is too far ahead. */
  boolean refusesSnapshot(Endpoint from, TxnId txn, long snapshotMicros) {
    if (snapshotMicros > latestAllowedMicros()) {
      refuse(from, txn, Refusal.CLOCK_AHEAD);
      return true;
    }
    return false;
  }

  void refuse(Endpoint to, TxnId txn, Refusal reason) {
    out().send(to, new Refused(txn, reason, nowMicros));
  }

  void answerClient(Endpoint from, TxnId txn, long commitMicros) {
    if (from instanceof ClientId) {
      out().send(from, new Verdict(txn, commitMicros));
    }
  }

  ReplicaId leaderOf(int partition) {
    return new ReplicaId(partition, topology.leader(partition));
  }

  static ClientId clientOf(Participation p) {
    return new ClientId(p.txn().clientId());
  }
}
