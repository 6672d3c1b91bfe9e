package org.mortydb.client.engine;

import org.mortydb.client.TransactionOptions;
import org.mortydb.client.WriteDurability;
import org.mortydb.protocol.system.TransactionSystem;

/**
 * What the servers of a cluster do for all transactions, as its configuration says; so that a
 * client refuses what they cannot promise.
 */
public enum ServerDurability {
  /** Nothing is known. */
  UNKNOWN,
  /** They store nothing. */
  MEMORY,
  /** They answer before they force. */
  ASYNC,
  /** They force before they answer. */
  SYNC;

  /**
   * Refuses a durability that the servers do not have.
   *
   * @throws IllegalArgumentException when the servers promise less
   * @throws UnsupportedOperationException when the system stores nothing
   */
  void check(TransactionOptions options, TransactionSystem system) {
    WriteDurability wanted = options.durability();
    if (wanted == WriteDurability.AS_SERVERS || options.readOnly()) {
      return;
    }
    if (!system.isDurable()) {
      throw new UnsupportedOperationException(
          "the system "
              + system.name()
              + " stores nothing, so no transaction can be "
              + wanted.words()
              + "; leave the durability out, or use a cluster with cluster.system = morty");
    }
    if (this == MEMORY || (this == ASYNC && wanted == WriteDurability.SYNC)) {
      throw new IllegalArgumentException(
          "a transaction cannot be "
              + wanted.words()
              + " on a cluster with server.durability = "
              + (this == MEMORY ? "memory" : "async")
              + ": leave the durability out, or set server.durability = sync");
    }
  }

  /** Whether a commit may be acknowledged before it is durable, and that is not the case anyway. */
  boolean acknowledgesEarly(TransactionOptions options) {
    return options.durability() == WriteDurability.ASYNC
        && !options.readOnly()
        && (this == SYNC || this == UNKNOWN);
  }
}
