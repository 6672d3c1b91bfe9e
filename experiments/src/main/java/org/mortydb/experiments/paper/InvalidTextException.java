package org.mortydb.experiments.paper;

import java.io.Serial;

/** A text asks for what cannot be; the message says where, and for what. */
public final class InvalidTextException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  InvalidTextException(String message) {
    super(message);
  }
}
