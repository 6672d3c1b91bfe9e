package org.mortydb.bench.cli;

import java.io.Serial;

/** A command could not do what it was asked to, for a reason that its message tells the user. */
final class FailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  FailedException(String message) {
    super(message);
  }

  FailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
