package org.mortydb.client;

import java.io.Serial;

/**
 * The client has as many transactions in flight and in its queue as its options allow, or the
 * transaction's deadline passed in the queue. Nothing of the transaction was sent. Begin fewer
 * transactions at a time, or raise the limits in {@link
 * org.mortydb.client.engine.EngineOptions#withLimits}.
 */
public final class OverloadedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final boolean late;

  /**
   * @param message names the limits
   * @param late whether the deadline passed in the queue
   */
  public OverloadedException(String message, boolean late) {
    super(message);
    this.late = late;
  }

  /** Whether the deadline passed in the queue; otherwise the transaction was refused at once. */
  public boolean isLate() {
    return late;
  }
}
