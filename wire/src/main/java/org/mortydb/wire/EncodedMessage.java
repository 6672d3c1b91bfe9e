package org.mortydb.wire;

import com.google.protobuf.CodedOutputStream;

/**
 * A message in its wire form, encoded once and sent to any number of receivers. Immutable; safe for
 * use by several threads.
 */
public final class EncodedMessage {
  private final byte[] bytes;

  /** Takes the message's field in the envelope, tag and length included. */
  EncodedMessage(byte[] bytes) {
    this.bytes = bytes;
  }

  /** The size of a message of {@code size} bytes with what comes before it in the envelope. */
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
