package org.mortydb.wire;

import java.io.IOException;

/**
 * Bytes that are no frame of the wire contract. The message names the error and its place. The
 * connection that delivered the bytes must be closed.
 */
public final class MalformedFrameException extends IOException {

  public MalformedFrameException(String message) {
    super(message);
  }

  public MalformedFrameException(String message, IOException cause) {
    super(message, cause);
  }
}
