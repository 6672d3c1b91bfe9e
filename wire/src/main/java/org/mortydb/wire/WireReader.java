package org.mortydb.wire;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Value;

/**
 * A strict view of protobuf's reader. It allocates nothing before it knows that the bytes are there
 * and that the size is within the limits.
 */
final class WireReader {
  private static final int WIRE_TYPE_BITS = 3;

  private final CodedInputStream in;

  WireReader(byte[] bytes, int offset, int length) {
    in = CodedInputStream.newInstance(bytes, offset, length);
  }

  /** Bytes of the frame read so far. */
  int position() {
    return in.getTotalBytesRead();
  }

  /** The next field's tag, 0 at the end of the current message. */
  int tag() throws IOException {
    return in.readTag();
  }

  /** Enters a nested message; its fields end where {@link #tag} returns 0. */
  int enter() throws IOException {
    return in.pushLimit(in.readRawVarint32());
  }

  /** Leaves a nested message, with what {@link #enter} returned. */
  void leave(int outer) {
    in.popLimit(outer);
  }

  /** Skips to the end of a message that must be empty. */
  void empty(String message) throws IOException {
    int outer = enter();
    int tag = tag();
    if (tag != 0) {
      throw unexpected(message, tag);
    }
    leave(outer);
  }

  /** Whether a packed field has more numbers. */
  boolean hasMore() {
    return in.getBytesUntilLimit() > 0;
  }

  /** A uint32 that fits into an int. */
  int number(String message, String field) throws IOException {
    int value = in.readRawVarint32();
    if (value < 0) {
      throw malformed(
          message
              + "."
              + field
              + " is "
              + Integer.toUnsignedString(value)
              + ", at most 2147483647");
    }
    return value;
  }

  long fixed64() throws IOException {
    return in.readFixed64();
  }

  boolean bool() throws IOException {
    return in.readBool();
  }

  Key key(String message, String field) throws IOException {
    return Key.wrap(bytes(message, field, Limits.MAX_KEY_BYTES));
  }

  /** A key that bounds a range: the successor of the longest key is a byte longer. */
  Key bound(String message, String field) throws IOException {
    return Key.wrap(bytes(message, field, Limits.MAX_KEY_BYTES + 1));
  }

  Value value(String message, String field) throws IOException {
    return Value.wrap(bytes(message, field, Limits.MAX_VALUE_BYTES));
  }

  private byte[] bytes(String message, String field, int atMost) throws IOException {
    int size = in.readRawVarint32();
    if (size < 0 || size > atMost) {
      throw malformed(
          message
              + "."
              + field
              + " has "
              + Integer.toUnsignedString(size)
              + " bytes, at most "
              + atMost);
    }
    // Checks that so many bytes are left before it allocates the array.
    return in.readRawBytes(size);
  }

  /** Notes that a field came, and that it did for the first time. */
  int once(int seen, int tag, String message) throws MalformedFrameException {
    int bit = 1 << (tag >>> WIRE_TYPE_BITS);
    if ((seen & bit) != 0) {
      throw malformed("field " + (tag >>> WIRE_TYPE_BITS) + " of " + message + " is given twice");
    }
    return seen | bit;
  }

  /** What is required, or a complaint that it is missing. */
  <T> T required(@Nullable T part, String message, String field) throws MalformedFrameException {
    if (part == null) {
      throw malformed(message + "." + field + " is missing");
    }
    return part;
  }

  MalformedFrameException unexpected(String message, int tag) {
    return malformed(
        "unexpected field "
            + (tag >>> WIRE_TYPE_BITS)
            + " of wire type "
            + (tag & ((1 << WIRE_TYPE_BITS) - 1))
            + " in "
            + message);
  }

  MalformedFrameException malformed(String what) {
    return new MalformedFrameException(what + ", at byte " + position() + " of the frame");
  }
}
