package org.mortydb.bench.simulated;

import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;

/**
 * Sees what happens in a simulated cluster once its records are filled, and changes nothing. Times
 * are nanoseconds of virtual time, of which all machines have the same; all that a replica does in
 * one step has the time at which the step began. Called by the thread that runs the simulation.
 */
public interface ClusterObserver {

  /** A replica begins to handle a message. */
  void received(ReplicaId at, Message message, long nanos);

  /** A replica or, by its client, a coordinator tells something. */
  void probed(Endpoint at, Probe probe, long nanos);

  /** An attempt at a transaction ended at its client. */
  void ended(CompletedAttempt attempt, long nanos);

  /** The time that is measured begins. */
  void windowBegins(long nanos);

  /** The time that is measured is over; transactions still run. */
  void windowEnds(long nanos);
}
