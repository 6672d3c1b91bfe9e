package org.mortydb.baselines.twophase;

import java.util.BitSet;
import java.util.List;
import org.mortydb.baselines.message.LeaderMessage;
import org.mortydb.baselines.message.LeaderMessage.Ballot;
import org.mortydb.baselines.message.LeaderMessage.Verdict;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.baselines.twophase.Participation.Phase;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.model.Outcome;

/** Ends transactions at a leader: installs their writes, or removes their state. */
final class Endings {
  private final LeaderState state;
  private final LeaderReads reads;

  Endings(LeaderState state, LeaderReads reads) {
    this.state = state;
    this.reads = reads;
  }

  /** Makes the writes of a committed transaction visible. */
  void install(Participation p) {
    state.versions.install(p.txn(), p.commitMicros, p.writes());
    List<SnapshotWaiter> woken = state.pending.remove(p.txn(), p.writes());
    finish(p);
    woken.forEach(reads::serve);
    if (state.out().probing()) {
      state.out().probe(new Probe.Installed(p.txn(), Outcome.commit(0, p.participants)));
    }
  }

  /** Aborts a transaction that this leader may abort, and sends the outcome. */
  void abort(Participation p) {
    finishAbort(p);
    state.out().send(LeaderState.clientOf(p), new Verdict(p.txn(), LeaderMessage.ABORTED));
    if (p.coordinator != state.self.partition() && p.coordinator != Participation.NOBODY) {
      state.out().send(state.leaderOf(p.coordinator), new Ballot(p.txn(), LeaderMessage.ABORTED));
      return;
    }
    // A participant often reports before the client's request, which names all participants, has
    // arrived. Until it learns of the abort, it holds keys.
    BitSet known = new BitSet();
    known.or(p.prepared);
    known.or(p.blocked);
    p.participants.forEach(known::set);
    tellAborted(p, known);
  }

  /** Tells participants of an abort, each once. */
  void tellAborted(Participation p, BitSet partitions) {
    for (int i = partitions.nextSetBit(0); i >= 0; i = partitions.nextSetBit(i + 1)) {
      if (i != state.self.partition() && !p.informed.get(i)) {
        p.informed.set(i);
        state.out().send(state.leaderOf(i), new Verdict(p.txn(), LeaderMessage.ABORTED));
      }
    }
  }

  /** Aborts a transaction whose abort all other parties know. */
  void finishAbort(Participation p) {
    boolean isLogged = p.prepareMicros != 0 && !p.writes().isEmpty();
    p.commitMicros = LeaderMessage.ABORTED;
    List<SnapshotWaiter> woken = List.of();
    if (isLogged) {
      woken = state.pending.remove(p.txn(), p.writes());
      state.log.append(new LogEntry.Aborted(p.txn()));
    }
    finish(p);
    woken.forEach(reads::serve);
    if (state.out().probing()) {
      state.out().probe(new Probe.Installed(p.txn(), Outcome.ABORT));
    }
  }

  private void finish(Participation p) {
    p.phase = Phase.DONE;
    if (p.hasReserved) {
      p.hasReserved = false;
      state.escrow.release(p.writes());
    }
    p.pendingReads.clear();
    state.control.release(p);
    state.participations.close(p, state.nowMicros);
  }
}
