package org.mortydb.client;

import java.io.Serial;

/**
 * A key, a value or a whole transaction is larger than {@link org.mortydb.protocol.model.Limits}
 * allow. Thrown before the operation is sent. If it leaves the transaction's code, the transaction
 * aborts.
 */
public final class LimitExceededException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1;

  /**
   * @param message names the key, the size and the limit
   */
  public LimitExceededException(String message) {
    super(message);
  }
}
