package org.mortydb.client;

import java.io.Serial;

/**
 * A transaction was refused for its content: client and server disagree on the partition layout or
 * on the limits, or what it has read and written together is too much for a request for votes. A
 * retry does not help; compare configurations and versions, or divide the transaction. It left
 * nothing behind.
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
