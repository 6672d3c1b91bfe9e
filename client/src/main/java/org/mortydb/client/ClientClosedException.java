package org.mortydb.client;

import java.io.Serial;

/**
 * The client was closed before the transaction began or asked to commit: it left nothing behind.
 */
public final class ClientClosedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /**
   * @param message names what was closed
   */
  public ClientClosedException(String message) {
    super(message);
  }
}
