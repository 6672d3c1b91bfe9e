package org.mortydb.client;

import java.io.Serial;

/**
 * The client was closed before the transaction asked to commit. The transaction left nothing
 * behind; run it with another client.
 */
public final class ClientClosedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /**
   * @param message names the client that was closed
   */
  public ClientClosedException(String message) {
    super(message);
  }
}
