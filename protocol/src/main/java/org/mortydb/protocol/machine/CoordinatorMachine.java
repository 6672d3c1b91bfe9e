package org.mortydb.protocol.machine;

import org.mortydb.protocol.model.TxnId;

/**
 * The client's half of one attempt at a transaction, in any system. It takes the application's
 * calls ({@link Event.Call}), and ends with {@link CoordinatorEffects#complete} and {@link
 * CoordinatorEffects#retire}. {@link StateMachine} has the thread rule.
 */
public interface CoordinatorMachine extends StateMachine<CoordinatorEffects> {

  /** The transaction. Its home partition is final from the first operation on. */
  TxnId txn();

  /** How often the transaction re-executed; 0 in systems that only abort. */
  default int reexecutions() {
    return 0;
  }
}
