package org.mortydb.workloads.load;

import java.io.Serial;

/** A transaction could not run because of an error, not because of a conflict. */
public final class LoadFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /**
   * @param message the error, in a sentence
   */
  public LoadFailedException(String message) {
    super(message);
  }

  LoadFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
