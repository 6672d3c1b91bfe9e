package org.mortydb.wire;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;

/**
 * A message for any number of receivers. A short message is encoded once for all of them. A long
 * one is encoded for each receiver, because that takes less time and memory than another copy.
 * Immutable; safe for use by several threads.
 */
public final class EncodedMessage {
  /** Longer messages are encoded for each receiver. */
  static final int SHORT_BYTES = 2 * 1024;

  private final int fieldSize;

  /** The message's field in the envelope, including tag and length; null if the message is long. */
  private final byte @Nullable [] bytes;

  private final @Nullable Message message;

  /**
   * @param bytes the message's field in the envelope, including tag and length
   */
  EncodedMessage(byte[] bytes) {
    this.fieldSize = bytes.length;
    this.bytes = bytes;
    this.message = null;
  }

  /**
   * @param message a long message
   * @param fieldSize the size of its field in the envelope
   */
  EncodedMessage(Message message, int fieldSize) {
    this.fieldSize = fieldSize;
    this.bytes = null;
    this.message = message;
  }

  /** How many bytes the message takes. */
  public long bytes() {
    return fieldSize;
  }

  /** The size in the envelope of a message of {@code size} bytes, including tag and length. */
  static int fieldSize(int field, int size) {
    return CodedOutputStream.computeTagSize(field)
        + CodedOutputStream.computeUInt32SizeNoTag(size)
        + size;
  }

  /** The size of the message's field in the envelope, including tag and length. */
  int fieldSize() {
    return fieldSize;
  }

  /** Writes the message's field in the envelope, including tag and length. */
  void writeTo(CodedOutputStream out) throws IOException {
    if (bytes != null) {
      out.writeRawBytes(bytes);
    } else if (message != null) {
      MessageFormat<?> format = MessageFormats.MORTY.of(message);
      format.writeField(out, message, format.sizeOf(message));
    }
  }
}
