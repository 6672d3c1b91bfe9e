package org.mortydb.cli;

import java.io.Serial;

/** A command failed for a reason that its message explains to the user. */
public final class FailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public FailedException(String message) {
    super(message);
  }

  public FailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
