package org.mortydb.client;

import java.io.Serial;

/**
 * The servers do not grant this client the right that a transaction needs. Grant it with the
 * servers' setting {@code server.authorization}; a retry alone does not help. Nothing of the
 * transaction was written.
 */
public final class NotAuthorizedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /**
   * @param message names the client, the missing right and the transaction
   */
  public NotAuthorizedException(String message) {
    super(message);
  }
}
