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
 * Questions about transactions that stay undecided. Who is hindered by one asks its coordinator and
 * its home first, and recovers it when that does not help (section 5).
 */
final class Inquiries {
  private static final int MAX_DOUBLINGS = 2;

  private final ReplicaState state;
  private final Refusals refusals;
  private final Recoveries recoveries;

  Inquiries(ReplicaState state, Refusals refusals, Recoveries recoveries) {
    this.state = state;
    this.refusals = refusals;
    this.recoveries = recoveries;
  }

  void onInquire(Endpoint from, Inquire inquire, Effects out) {
    TxnRecord txn = state.records.get(inquire.txn());
    if (txn != null && txn.outcome != null) {
      out.send(from, new Decide(txn.id, txn.outcome));
    } else if (txn == null && state.isForgottenAbort(inquire.txn(), out)) {
      out.send(from, new Decide(inquire.txn(), Outcome.ABORT));
    } else if (txn != null || !refusals.tellsBehind(from, inquire.txn(), out)) {
      out.send(from, new InquireReply(inquire.txn()));
    }
  }

  /**
   * A coordinator that still works on its transaction is not recovered behind its back, and not
   * asked again as soon: where transactions take long because there is too much to do, questions
   * about all of them must not become most of it.
   */
  void onInquireReply(Endpoint from, InquireReply reply) {
    TxnRecord txn = state.records.get(reply.txn());
    if (txn != null && from instanceof ClientId && !txn.isFenced() && txn.inquiries > 0) {
      txn.inquiries = 0;
      txn.assurances = Math.min(txn.assurances + 1, MAX_DOUBLINGS);
      txn.respites = (1 << txn.assurances) - 1;
    }
  }

  /** Asks about what is due, and recovers what was asked about in vain. */
  void onTick(Effects out) {
    for (TxnRecord txn : state.housekeeping.undecided(state.nowMicros)) {
      if (txn.respites > 0 && !txn.isFenced()) {
        txn.respites--;
      } else if (txn.inquiries++ > 0) {
        recoveries.begin(txn.id, txn.promised, state.nowMicros, out);
      } else {
        inquire(txn, out);
      }
    }
  }

  private void inquire(TxnRecord txn, Effects out) {
    mark(txn.id, Branch.OUTCOME_INQUIRED, out);
    if (txn.coordinator instanceof ClientId) {
      out.send(txn.coordinator, new Inquire(txn.id));
    }
    for (int i = 0; i < state.topology.replicas(); i++) {
      ReplicaId home = new ReplicaId(txn.id.home(), i);
      if (!home.equals(state.self)) {
        out.send(home, new Inquire(txn.id));
      }
    }
  }
}
