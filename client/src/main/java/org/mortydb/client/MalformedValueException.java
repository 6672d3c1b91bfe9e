package org.mortydb.client;

import java.io.Serial;

/** A stored value cannot be decoded with the codec of the key it was read through. */
public final class MalformedValueException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1;

  /**
   * @param message names the key
   * @param cause what the codec said
   */
  public MalformedValueException(String message, Throwable cause) {
    super(message, cause);
  }
}
