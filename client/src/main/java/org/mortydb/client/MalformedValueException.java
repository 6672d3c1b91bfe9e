package org.mortydb.client;

import java.io.Serial;

/** The codec that a key or range was read with cannot decode the stored bytes. */
public final class MalformedValueException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1;

  /**
   * A value that no codec has seen.
   *
   * @param message names the key
   */
  public MalformedValueException(String message) {
    super(message);
  }

  /**
   * @param message names the key
   * @param cause the exception that the codec threw
   */
  public MalformedValueException(String message, Throwable cause) {
    super(message, cause);
  }
}
