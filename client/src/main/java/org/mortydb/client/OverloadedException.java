package org.mortydb.client;

import java.io.Serial;

/**
 * The client has as many transactions in flight and in its queue as its options allow. Nothing of
 * the refused transaction was sent. Slow down, or raise the limits.
 */
public final class OverloadedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /**
   * @param message names the limits
   */
  public OverloadedException(String message) {
    super(message);
  }
}
