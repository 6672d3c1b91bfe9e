package org.mortydb.check.jepsen;

import java.io.Serial;

/** A file holds no history that can be judged; the message tells where and why. */
public final class MalformedHistoryException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  MalformedHistoryException(String message) {
    super(message);
  }

  MalformedHistoryException(String message, Throwable cause) {
    super(message, cause);
  }
}
