package org.mortydb.baselines.twophase;

import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.message.LeaderMessage;
import org.mortydb.baselines.message.LeaderMessage.SnapshotRead;
import org.mortydb.baselines.message.LeaderMessage.TransactionRead;
import org.mortydb.baselines.message.LeaderMessage.Update;
import org.mortydb.baselines.message.LeaderMessage.Verdict;
import org.mortydb.baselines.twophase.Participation.Phase;
import org.mortydb.baselines.twophase.Versions.Version;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;

/** The leader's answers to reads (locked, newest or of snapshots), and requests to write. */
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
    Participation p = active(from, m.txn(), m.ageMicros());
    if (p != null) {
      p.pendingReads.put(m.key(), m.request());
      state.control.read(state.nowMicros, p, m.key());
    }
  }

  /** The transaction wants to write a key. */
  void onUpdate(Endpoint from, Update m) {
    if (state.refuses(from, m.txn(), m.key())
        || state.refusesSnapshot(from, m.txn(), m.snapshotMicros())) {
      return;
    }
    Participation p = active(from, m.txn(), m.ageMicros());
    if (p != null) {
      p.snapshotMicros = Math.max(p.snapshotMicros, m.snapshotMicros());
      state.control.update(state.nowMicros, p, m.key());
    }
  }

  /** A transaction that has not asked to prepare; null if it has, or is over. */
  private @Nullable Participation active(Endpoint from, TxnId txn, long ageMicros) {
    Participation p = state.participations.get(txn);
    if (p == null) {
      p = state.participations.open(txn, ageMicros, state.nowMicros);
    }
    p.heardMicros = state.nowMicros;
    if (p.hasAborted()) {
      state.out().send(from, new Verdict(txn, LeaderMessage.ABORTED));
    }
    return p.phase == Phase.ACTIVE ? p : null;
  }

  void granted(Participation p, Key key) {
    Integer request = p.pendingReads.remove(key);
    if (request != null && p.phase == Phase.ACTIVE) {
      answer(LeaderState.clientOf(p), p.txn(), request, key, state.versions.newest(key));
    }
  }

  void onSnapshot(Endpoint from, SnapshotRead m) {
    if (state.refuses(from, m.txn(), m.key())
        || state.refusesSnapshot(from, m.txn(), m.atMicros())) {
      return;
    }
    state.raiseToSnapshot(m.atMicros());
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
