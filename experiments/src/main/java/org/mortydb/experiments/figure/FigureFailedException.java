package org.mortydb.experiments.figure;

import java.io.Serial;

/** A figure cannot be drawn; the message says why. */
public final class FigureFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  FigureFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
