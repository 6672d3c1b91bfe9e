package org.mortydb.workloads.load;

import java.io.Serial;

/** A transaction could not be run: not for a conflict, but because something is broken. */
public final class LoadFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** Says in a sentence what is broken. */
  public LoadFailedException(String message) {
    super(message);
  }

  LoadFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
