package org.mortydb.experiments.plan;

import java.io.Serial;

/** A definition is wrong. The message names the file, the key and the expected value. */
public final class InvalidDefinitionException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  InvalidDefinitionException(String message) {
    super(message);
  }

  /** An error with a longer message than its cause. */
  public InvalidDefinitionException(String message, Throwable cause) {
    super(message, cause);
  }
}
