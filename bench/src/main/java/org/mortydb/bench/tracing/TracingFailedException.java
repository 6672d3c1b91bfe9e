package org.mortydb.bench.tracing;

import java.io.Serial;

/** Zipkin could not be fetched, started or queried. The message is for the user. */
public final class TracingFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** With a message for the user. */
  public TracingFailedException(String message) {
    super(message);
  }

  TracingFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
