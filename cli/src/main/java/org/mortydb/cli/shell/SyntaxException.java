package org.mortydb.cli.shell;

import java.io.Serial;

/** A statement that cannot be understood; the message says why. */
public final class SyntaxException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  SyntaxException(String message) {
    super(message);
  }
}
