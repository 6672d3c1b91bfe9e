package org.mortydb.experiments.plan;

import java.io.Serial;

/**
 * A definition says what cannot be; the message names the file, the key and what would be right.
 */
public final class InvalidDefinitionException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  InvalidDefinitionException(String message) {
    super(message);
  }

  InvalidDefinitionException(String message, Throwable cause) {
    super(message, cause);
  }
}
