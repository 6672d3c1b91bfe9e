package org.mortydb.protocol.replica;

import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.model.TxnId;

/**
 * How far votes may reach that this replica has told before they were durable (docs/protocol.md,
 * section 8, Durability of a transaction). A restart may have forgotten such votes. Nothing rests
 * on them, but a recovery must not take the replica's word that it never gave them.
 *
 * <p>The log has a bound on their transactions. Votes above the durable bound are not told before
 * they are durable themselves.
 */
final class WrittenVotes extends LoggedBound {

  WrittenVotes(ReplicaState state) {
    super(state, true);
  }

  /**
   * Whether a vote on a transaction may be told before it is durable. If not, the bound is raised
   * for later ones.
   */
  boolean covers(TxnId txn, Effects out) {
    if (txn.timeMicros() > logged.timeMicros() - leadMicros / 2) {
      raise(txn, out);
    }
    return !txn.isAfter(durable) || !state.rules.boundsWrittenVotes();
  }
}
