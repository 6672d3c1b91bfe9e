package org.mortydb.sim;

import org.mortydb.protocol.model.ReplicaId;

/** The simulated system has thrown instead of making a replica. */
final class ReplicaNotMadeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ReplicaNotMadeException(ReplicaId id, Throwable cause) {
    super(id + " cannot be made: " + cause, cause);
  }
}
