package org.mortydb.wire;

import java.io.IOException;

/**
 * Bytes that are no frame of the wire contract. The message names what is wrong, and where. The
 * connection that they came from cannot be trusted any further.
 */
public final class MalformedFrameException extends IOException {

  /** An error without a cause of its own. */
  public MalformedFrameException(String message) {
    super(message);
  }

  /** An error that protobuf's own reader found. */
  public MalformedFrameException(String message, IOException cause) {
    super(message, cause);
  }
}
