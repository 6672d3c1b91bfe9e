package org.mortydb.protocol.message;

/**
 * A message that a client may send to a replica. Servers accept no other messages from clients.
 *
 * <p>Messages of Morty implement it through {@link Message.FromClient}. Messages of other systems
 * implement it together with {@link Message.OfSystem}.
 */
public interface ClientMessage {

  /** What a client must be allowed to do in order to send this message. */
  Access access();

  /** What a message of a client makes a replica do. */
  enum Access {
    /** The message writes no data. */
    READ,
    /** The message may lead to a write. */
    WRITE,
    /** The message concerns the cluster as a whole, such as a backup. */
    ADMIN
  }
}
