package org.mortydb.check.anomaly;

import java.util.Optional;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;

/** Tells how transactions ended whose clients were told that the outcome is unknown. */
@FunctionalInterface
public interface OutcomeSource {

  /** Knows nothing. */
  OutcomeSource NONE = txn -> Optional.empty();

  /** The outcome that the replicas hold, if any. */
  Optional<Outcome> outcomeOf(TxnId txn);
}
