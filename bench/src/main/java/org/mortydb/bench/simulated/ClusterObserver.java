package org.mortydb.bench.simulated;

import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;

/**
 * Observes a simulated cluster once its records are filled. Times are nanoseconds of virtual time,
 * equal on all machines. All events of a step have the time at which the step began. The thread of
 * the simulation calls it.
 */
public interface ClusterObserver {

  /** A replica starts to handle a message. */
  void received(ReplicaId at, Message message, long nanos);

  /** A replica, or a coordinator at its client, emits a probe. */
  void probed(Endpoint at, Probe probe, long nanos);

  /** An attempt has ended at its client. */
  void ended(CompletedAttempt attempt, long nanos);

  /** Whether to follow what causes what from now on, and call {@link #handled}. */
  default boolean follows() {
    return false;
  }

  /** A machine starts to handle something. Called after {@link #received} for the same message. */
  default void handled(Handling handling) {}

  /** The measured window begins. */
  void windowBegins(long nanos);

  /** The measured window ends; transactions still run. */
  void windowEnds(long nanos);
}
