package org.mortydb.client;

import java.io.Serial;

/**
 * A client cannot connect to a cluster: too few servers answered in time, or a server refused the
 * client. The message lists every server with its address and problem.
 */
public final class ClusterUnreachableException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /**
   * @param message names the cluster, and each server with its address and problem
   */
  public ClusterUnreachableException(String message) {
    super(message);
  }
}
