package org.mortydb.transport.tls;

import java.io.IOException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Credentials that cannot be used. The message names the file, the error and the way out. */
public final class InvalidCredentialsException extends IOException {
  @Serial private static final long serialVersionUID = 1;

  /**
   * @param message a sentence for the operator
   */
  public InvalidCredentialsException(String message) {
    super(message);
  }

  /**
   * @param message a sentence for the operator
   */
  public InvalidCredentialsException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
