package org.mortydb.check.anomaly;

import java.util.Optional;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;

/** Knows outcomes of transactions whose clients did not learn them. */
@FunctionalInterface
public interface OutcomeSource {

  /** A source without any outcome. */
  OutcomeSource NONE = txn -> Optional.empty();

  /** The outcome according to the replicas, if known. */
  Optional<Outcome> outcomeOf(TxnId txn);
}
