package org.mortydb.baselines.twophase;

import org.mortydb.baselines.message.LeaderMessage;
import org.mortydb.baselines.message.LeaderMessage.SnapshotRead;
import org.mortydb.baselines.message.LeaderMessage.TransactionRead;
import org.mortydb.baselines.message.LeaderMessage.Verdict;
import org.mortydb.baselines.twophase.Participation.Phase;
import org.mortydb.baselines.twophase.Versions.Version;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;

/** The leader's answers to reads: under locks, of the newest version, or of snapshots. */
final class LeaderReads {
  private final LeaderState state;
  private final boolean readsAnywhere;

  LeaderReads(LeaderState state, boolean readsAnywhere) {
    this.state = state;
    this.readsAnywhere = readsAnywhere;
  }

  void onRead(Endpoint from, TransactionRead m) {
    if (state.refuses(from, m.txn(), m.key())) {
      return;
    }
    if (readsAnywhere) {
      answer(from, m.txn(), m.request(), m.key(), state.versions.newest(m.key()));
      return;
    }
    Participation p = state.participations.get(m.txn());
    if (p == null) {
      p = state.participations.open(m.txn(), m.ageMicros(), state.nowMicros);
    }
    p.heardMicros = state.nowMicros;
    if (p.hasAborted()) {
      state.out().send(from, new Verdict(m.txn(), LeaderMessage.ABORTED));
    } else if (p.phase == Phase.ACTIVE) {
      p.pendingReads.put(m.key(), m.request());
      state.control.read(state.nowMicros, p, m.key());
    }
  }

  void granted(Participation p, Key key) {
    Integer request = p.pendingReads.remove(key);
    if (request != null && p.phase == Phase.ACTIVE) {
      answer(LeaderState.clientOf(p), p.txn(), request, key, state.versions.newest(key));
    }
  }

  void onSnapshot(Endpoint from, SnapshotRead m) {
    if (state.refuses(from, m.txn(), m.key())) {
      return;
    }
    if (m.atMicros() > state.latestAllowedMicros()) {
      state.refuse(from, m.txn(), Refusal.CLOCK_AHEAD);
      return;
    }
    state.raise(m.atMicros() - 1);
    serve(new SnapshotWaiter(from, m.txn(), m.request(), m.key(), m.atMicros()));
  }

  void serve(SnapshotWaiter reader) {
    if (state.rules.waitsForPrepared() && state.pending.mustWait(reader)) {
      return;
    }
    Version version = state.versions.below(reader.key(), reader.atMicros());
    if (version == null) {
      state.refuse(reader.client(), reader.txn(), Refusal.TRUNCATED);
    } else {
      answer(reader.client(), reader.txn(), reader.request(), reader.key(), version);
    }
  }

  private void answer(Endpoint to, TxnId txn, int request, Key key, Version version) {
    PartitionRole.answer(to, txn, request, key, version, state.out());
  }
}
