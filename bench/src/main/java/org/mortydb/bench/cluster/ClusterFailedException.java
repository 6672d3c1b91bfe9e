package org.mortydb.bench.cluster;

import java.io.Serial;

/** A cluster could not be started, or one of its servers has ended. */
public final class ClusterFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** With a message for the user. */
  public ClusterFailedException(String message) {
    super(message);
  }

  /** With a message for the user, and the cause. */
  public ClusterFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
