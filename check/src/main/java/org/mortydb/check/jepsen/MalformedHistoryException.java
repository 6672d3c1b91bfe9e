package org.mortydb.check.jepsen;

import java.io.Serial;

/** A history that cannot be checked. The message names the place and the reason. */
public final class MalformedHistoryException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  MalformedHistoryException(String message) {
    super(message);
  }

  MalformedHistoryException(String message, Throwable cause) {
    super(message, cause);
  }
}
