package org.mortydb.experiments.paper;

import java.io.Serial;

/** A text has a wrong placeholder. The message names the placeholder and the error. */
public final class InvalidTextException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  InvalidTextException(String message) {
    super(message);
  }
}
