package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.InquireReply;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.recovery.Recoveries;

/**
 * Inquiries about transactions that stay undecided and hinder others: this replica asks the
 * coordinator and the home partition first, and recovers the transaction if that does not help
 * (docs/protocol.md, section 5).
 */
final class Inquiries {
  private final ReplicaState state;
  private final Refusals refusals;
  private final Recoveries recoveries;
  private final Outcomes outcomes;

  Inquiries(ReplicaState state, Refusals refusals, Recoveries recoveries, Outcomes outcomes) {
    this.state = state;
    this.refusals = refusals;
    this.recoveries = recoveries;
    this.outcomes = outcomes;
  }

  void onInquire(Endpoint from, Inquire inquire, Effects out) {
    TxnRecord txn = state.records.get(inquire.txn());
    if (txn != null && txn.outcome() != null) {
      out.send(from, new Decide(txn.id(), txn.outcome()));
    } else if (txn == null && state.isForgottenAbort(inquire.txn(), out)) {
      out.send(from, new Decide(inquire.txn(), Outcome.ABORT));
    } else if (txn != null || !refusals.sendsBehind(from, inquire.txn(), out)) {
      out.send(from, new InquireReply(inquire.txn()));
    }
  }

  /**
   * A coordinator that still works on its transaction is not recovered behind its back, and is
   * asked again more rarely. Otherwise inquiries about slow transactions would become most of the
   * work under overload.
   */
  void onInquireReply(Endpoint from, InquireReply reply) {
    TxnRecord txn = state.records.get(reply.txn());
    if (txn != null && from instanceof ClientId) {
      txn.assured();
    }
  }

  /**
   * Asks about transactions that are due, and recovers those that it has asked about in vain. One
   * whose home has no buckets under its map has aborted: nobody may be at home (section 15).
   */
  void onTick(Effects out) {
    for (TxnRecord txn : state.housekeeping.undecided(state.elapsedMicros)) {
      if (state.maps.cannotCommit(txn.id())) {
        outcomes.onDecide(new Decide(txn.id(), Outcome.ABORT), out);
        continue;
      }
      switch (txn.nextInquiry()) {
        case WAIT -> {}
        case ASK -> inquire(txn, out);
        case RECOVER -> recoveries.begin(txn.id(), txn.promised(), state.elapsedMicros, out);
      }
    }
  }

  private void inquire(TxnRecord txn, Effects out) {
    mark(txn.id(), Branch.OUTCOME_INQUIRED, out);
    // Its client, too, if this replica knows the transaction from the reads of another one only:
    // those who may only read could have it recovered behind the client's back otherwise.
    out.send(new ClientId(txn.id().clientId()), new Inquire(txn.id()));
    for (int i = 0; i <= 2 * state.maps.f(txn.id().home()); i++) {
      ReplicaId home = new ReplicaId(txn.id().home(), i);
      if (!home.equals(state.self)) {
        out.send(home, new Inquire(txn.id()));
      }
    }
  }
}
