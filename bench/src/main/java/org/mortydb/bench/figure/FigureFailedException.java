package org.mortydb.bench.figure;

import java.io.Serial;

/** A figure could not be drawn. The message has the reason. */
public final class FigureFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  FigureFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
