package org.mortydb.peers.occ;

import java.io.Serial;

/** A store permanently refuses a request, so the run cannot continue. */
public final class UnusableException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** With a message that names the store and its reason. */
  public UnusableException(String message, Throwable cause) {
    super(message, cause);
  }
}
