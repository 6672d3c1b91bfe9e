package org.mortydb.bench.cluster;

import java.io.Serial;

/** A cluster could not be started, or a server of it has ended. */
public final class ClusterFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** Says in a sentence what is broken. */
  public ClusterFailedException(String message) {
    super(message);
  }

  /** The same with its cause. */
  public ClusterFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
