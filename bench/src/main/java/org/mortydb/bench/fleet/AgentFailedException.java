package org.mortydb.bench.fleet;

import java.io.Serial;

/** An agent cannot be used, or a run on it has failed. */
public class AgentFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** With a message for the user. */
  public AgentFailedException(String message) {
    super(message);
  }

  /** With a message for the user, and the cause. */
  public AgentFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
