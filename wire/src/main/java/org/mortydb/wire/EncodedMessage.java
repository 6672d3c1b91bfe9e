package org.mortydb.wire;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.mortydb.protocol.message.Message;

/**
 * A message in its wire form, encoded once and sent to any number of receivers. Immutable; safe to
 * hand to other threads.
 */
public final class EncodedMessage {
  private final byte[] bytes;

  private EncodedMessage(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Encodes {@code message}. */
  public static EncodedMessage of(Message message) {
    int field = MessageEncoder.field(message);
    int size = MessageEncoder.size(message);
    byte[] bytes = new byte[fieldSize(field, size)];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      PartEncoder.nested(out, field, size);
      MessageEncoder.write(out, message);
    } catch (IOException e) {
      throw new UncheckedIOException("the size of " + message + " was miscounted", e);
    }
    out.checkNoSpaceLeft();
    return new EncodedMessage(bytes);
  }

  /** Size of the message with what comes before it in the envelope. */
  static int fieldSize(int field, int size) {
    return CodedOutputStream.computeTagSize(field)
        + CodedOutputStream.computeUInt32SizeNoTag(size)
        + size;
  }

  /** The message's field in the envelope, tag and length included. */
  byte[] bytes() {
    return bytes;
  }
}
