package org.mortydb.protocol.system;

import org.mortydb.protocol.message.Message;

/**
 * Puts the messages of a system on the wire. An envelope carries the codec's number, the message's
 * kind and its content as bytes. What the bytes mean is up to the codec.
 *
 * <p>Implementations are immutable and safe for use by several threads.
 */
public interface MessageCodec {

  /**
   * Identifies the codec on the wire, so that processes with different systems refuse each other's
   * messages. Two systems must not have the same number. Numbers from 1 to 99 belong to the systems
   * of this project.
   */
  int number();

  /** The kind of a message, 1 or more. Each kind has a layout of its own. */
  int kind(Message.OfSystem message);

  /** Encodes the content of a message. */
  byte[] encode(Message.OfSystem message);

  /**
   * Decodes a message.
   *
   * @param content what {@link #encode} has returned, or any other bytes
   * @throws MalformedMessageException when the bytes are no message of this kind; the link that
   *     they came over is closed then
   */
  Message.OfSystem decode(int kind, byte[] content) throws MalformedMessageException;
}
