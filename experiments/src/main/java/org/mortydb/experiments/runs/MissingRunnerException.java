package org.mortydb.experiments.runs;

import java.io.Serial;

/** A point is to run in a way that is not available. The message says what makes it available. */
public final class MissingRunnerException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  MissingRunnerException(String message) {
    super(message);
  }
}
