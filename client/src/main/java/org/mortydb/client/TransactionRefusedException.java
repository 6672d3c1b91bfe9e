package org.mortydb.client;

import java.io.Serial;

/**
 * A replica refused a transaction for its content: client and server disagree on the partition
 * layout or on the limits. A retry does not help; compare their configurations and versions. The
 * transaction left nothing behind.
 */
public final class TransactionRefusedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /**
   * @param message names the transaction
   */
  public TransactionRefusedException(String message) {
    super(message);
  }
}
