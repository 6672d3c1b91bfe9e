package org.mortydb.sim.host;

import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/** Sees everything and changes nothing. */
public interface Observer {

  /** Sees nothing. */
  Observer NONE = new Observer() {};

  /** A machine has sent a message. */
  default void onSend(Endpoint from, Endpoint to, Message message) {}

  /** A machine told something. */
  default void onProbe(Endpoint self, Probe probe) {}

  /** A machine has finished a step. */
  default void onStep(Endpoint self) {}

  /**
   * A replica has started, for the first time or again.
   *
   * @param fromCheckpoint whether it read a checkpoint
   * @param records how many records of its log it read after that
   */
  default void onStart(ReplicaId replica, boolean fromCheckpoint, int records) {}

  /** A replica's server has crashed. */
  default void onCrash(ReplicaId replica) {}

  /**
   * A server has crashed.
   *
   * @param amidStep whether a replica of it was between two effects of one step
   * @param lost records that were appended and not forced, and are lost
   */
  default void onServerCrash(boolean amidStep, int lost) {}

  /** A server that is down has lost all that it had kept. */
  default void onWipe() {}

  /** The coordinator of one transaction has died, its client lives on. */
  default void onCoordinatorDeath(TxnId txn) {}

  /** A replica has written a checkpoint. */
  default void onCheckpoint(ReplicaId replica) {}

  /** A machine has thrown, which it never may. */
  default void onFailure(Endpoint self, Throwable failure) {}
}
