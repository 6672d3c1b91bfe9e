package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.recovery.Recoveries;

/**
 * What a replica does when it reaches a watermark (docs/protocol.md, section 6): it drops what is
 * undecided below, and forgets old executions and outcomes.
 */
final class Forgetting {
  private final ReplicaState state;
  private final Visibility visibility;
  private final Votes votes;
  private final Recoveries recoveries;
  private final DeferredVersions deferred;

  Forgetting(
      ReplicaState state,
      Visibility visibility,
      Votes votes,
      Recoveries recoveries,
      DeferredVersions deferred) {
    this.state = state;
    this.visibility = visibility;
    this.votes = votes;
    this.recoveries = recoveries;
    this.deferred = deferred;
  }

  /**
   * A copy has brought what committed at or below the watermark. The peer may have forgotten how
   * writers were decided that are open here.
   */
  void reachByCopy(TxnId reached, Effects out) {
    votes.takeBackLost(reached, out);
    reach(reached, out);
  }

  /** Everything at or below the watermark is installed, or can never commit. */
  void reach(TxnId reached, Effects out) {
    deferred.install(TxnId.INITIAL, reached, out);
    List<TxnRecord> dropped = dropUndecided(reached, out);
    state.horizon.reach(reached);
    // The votes that waited for one of them look again: it never commits.
    for (TxnRecord txn : dropped) {
      votes.wakeDependents(txn, out);
    }
    votes.lookAgain(out);
    if (out.probing()) {
      out.probe(new Probe.Truncated(state.horizon.watermark()));
    }
    // Executions are kept for a while longer: a peer that is a little late fetches them, and the
    // past is read. For how long does not depend on how close the watermark is to the clock.
    long retention = state.options.retentionMicros();
    long history = state.options.historyMicros();
    long watermark = state.horizon.watermark().timeMicros();
    // While the watermark waits for open transactions, its lag says nothing of the clock.
    long waiting =
        Math.min(
            state.nowMicros - history - state.options.lateRoundMicros(),
            watermark - (history - retention));
    long executionsMicros =
        Math.max(watermark - (history - state.options.watermarkLagMicros()), waiting);
    forget(new TxnId(Math.max(0, executionsMicros), Long.MAX_VALUE, 0), out);
    out.append(new LogRecord.Truncated(state.horizon.watermark(), state.horizon.forgotten()));
  }

  private void forget(TxnId executions, Effects out) {
    votes.takeBackFailed(state.horizon.executionsForgotten(), executions, out);
    long agedMicros = Math.max(0, state.nowMicros - state.options.retentionMicros());
    state.horizon.forget(executions, new TxnId(agedMicros, Long.MAX_VALUE, 0));
    state.records.forget(executions, state.horizon.forgotten());
  }

  /** The peer that this replica copies has forgotten outcomes: this replica may lack them, too. */
  void forgetLike(TxnId outcomes, Effects out) {
    votes.takeBackFailed(state.horizon.forgotten(), outcomes, out);
    state.horizon.forget(outcomes);
  }

  /**
   * Drops the transactions at or below a watermark that are undecided: they can never commit.
   *
   * @return the records dropped
   */
  List<TxnRecord> dropUndecided(TxnId reached, Effects out) {
    ArrayList<TxnRecord> dropped = new ArrayList<>();
    state.records.removeUninstalled(reached, dropped::add);
    for (TxnRecord txn : dropped) {
      if (txn.isPrepared()) {
        mark(txn.id(), Branch.TRUNCATION_DROPS, out);
      }
      votes.uncount(txn);
      txn.discard();
      recoveries.decided(txn.id());
      visibility.removeVersions(txn, out);
    }
    return dropped;
  }
}
