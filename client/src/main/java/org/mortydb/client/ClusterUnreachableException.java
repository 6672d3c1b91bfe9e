package org.mortydb.client;

import java.io.Serial;

/**
 * A cluster could not be connected to: too few of its servers answered in time, or one refused the
 * client.
 */
public final class ClusterUnreachableException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /**
   * @param message names the cluster, the servers' addresses and what happened there
   */
  public ClusterUnreachableException(String message) {
    super(message);
  }
}
