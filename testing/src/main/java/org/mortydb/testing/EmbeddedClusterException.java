package org.mortydb.testing;

import java.io.Serial;

/** An embedded cluster could not be started or does not serve. */
public final class EmbeddedClusterException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** With a message for the user, and the cause. */
  public EmbeddedClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
