package org.mortydb.sim.host;

import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/** Observes a run without changing it. */
public interface Observer {

  /** Observes nothing. */
  Observer NONE = new Observer() {};

  /** A machine has sent a message. */
  default void onSend(Endpoint from, Endpoint to, Message message) {}

  /** A step of a replica sends a message, which may wait for the disk before it leaves. */
  default void onOutput(ReplicaId from, Message message) {}

  /** A step of a replica appends a record to its log. */
  default void onAppend(ReplicaId replica, LogRecord logged) {}

  /** A machine has emitted a probe. */
  default void onProbe(Endpoint self, Probe probe) {}

  /** A machine has finished a step. */
  default void onStep(Endpoint self) {}

  /**
   * A replica has started, for the first time or again.
   *
   * @param fromCheckpoint whether it has read a checkpoint
   * @param records the number of log records that it has read
   */
  default void onStart(ReplicaId replica, boolean fromCheckpoint, int records) {}

  /** A replica's server has crashed. */
  default void onCrash(ReplicaId replica) {}

  /**
   * A server has crashed.
   *
   * @param withinStep whether one of its replicas was between two effects of a step
   * @param lost the number of lost records
   */
  default void onServerCrash(boolean withinStep, int lost) {}

  /** A server that is down has lost its disk. */
  default void onWipe() {}

  /** The coordinator of one transaction has died; its client lives on. */
  default void onCoordinatorDeath(TxnId txn) {}

  /** A replica has written a checkpoint. */
  default void onCheckpoint(ReplicaId replica) {}

  /** A machine has thrown, which is always a violation. */
  default void onFailure(Endpoint self, Throwable failure) {}
}
