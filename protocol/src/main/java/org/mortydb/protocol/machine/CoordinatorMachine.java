package org.mortydb.protocol.machine;

import org.mortydb.protocol.model.TxnId;

/**
 * The client's half of one attempt at a transaction, in any of the systems: takes the application's
 * calls ({@link Event.Call}), and ends with {@link CoordinatorEffects#complete} and {@link
 * CoordinatorEffects#retire}. The thread rule is that of {@link StateMachine}.
 */
public interface CoordinatorMachine extends StateMachine<CoordinatorEffects> {

  /** The transaction. Its home partition is right from the first operation on. */
  TxnId txn();

  /** How often the transaction ran again in part; 0 in systems that only abort. */
  int reexecutions();
}
