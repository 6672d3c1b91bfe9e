package org.mortydb.client;

import java.io.Serial;

/**
 * A replica refused a transaction for its content, which retrying does not mend: client and server
 * disagree on the partition layout or on the limits. The transaction left nothing behind.
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
