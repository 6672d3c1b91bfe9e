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
public final class WireReader {
  private static final int WIRE_TYPE_BITS = 3;

  private final CodedInputStream in;

  /** What the bytes are, for error messages. */
  private final String whole;

  /** Whether the bytes are the fields of one message that nobody has entered yet. */
  private boolean isMessage;

  WireReader(byte[] bytes, int offset, int length) {
    this(CodedInputStream.newInstance(bytes, offset, length), "frame", false);
  }

  private WireReader(CodedInputStream in, String whole, boolean isMessage) {
    this.in = in;
    this.whole = whole;
    this.isMessage = isMessage;
  }

  /** A reader of bytes that are the fields of one message: the first {@link #enter} enters it. */
  public static WireReader ofMessage(byte[] content) {
    return new WireReader(CodedInputStream.newInstance(content), "message", true);
  }

  /** The number of bytes read so far. */
  public int position() {
    return in.getTotalBytesRead();
  }

  /** The next field's tag, 0 at the end of the current message. */
  public int tag() throws IOException {
    return in.readTag();
  }

  /** Enters a nested message; its fields end where {@link #tag} returns 0. */
  public int enter() throws IOException {
    if (isMessage) {
      isMessage = false;
      return Integer.MAX_VALUE; // there is no limit but the end
    }
    return in.pushLimit(in.readRawVarint32());
  }

  /** Leaves a nested message, with what {@link #enter} returned. */
  public void leave(int outer) {
    in.popLimit(outer);
  }

  /** Skips to the end of a message that must be empty. */
  public void empty(String message) throws IOException {
    int outer = enter();
    int tag = tag();
    if (tag != 0) {
      throw unexpected(message, tag);
    }
    leave(outer);
  }

  /** Whether a packed field has more numbers. */
  public boolean hasMore() {
    return in.getBytesUntilLimit() > 0;
  }

  /** A uint32 that fits into an int. */
  public int number(String message, String field) throws IOException {
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

  public long fixed64() throws IOException {
    return in.readFixed64();
  }

  public boolean bool() throws IOException {
    return in.readBool();
  }

  public Key key(String message, String field) throws IOException {
    return Key.wrap(bytes(message, field, Limits.MAX_KEY_BYTES));
  }

  /** A key that bounds a range: the successor of the longest key is a byte longer. */
  public Key bound(String message, String field) throws IOException {
    return Key.wrap(bytes(message, field, Limits.MAX_KEY_BYTES + 1));
  }

  /** Bytes of any size that fits into the current message. */
  public byte[] content() throws IOException {
    return in.readByteArray();
  }

  public Value value(String message, String field) throws IOException {
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
  public int once(int seen, int tag, String message) throws MalformedFrameException {
    int bit = 1 << (tag >>> WIRE_TYPE_BITS);
    if ((seen & bit) != 0) {
      throw malformed("field " + (tag >>> WIRE_TYPE_BITS) + " of " + message + " is given twice");
    }
    return seen | bit;
  }

  /** What is required, or a complaint that it is missing. */
  public <T> T required(@Nullable T part, String message, String field)
      throws MalformedFrameException {
    if (part == null) {
      throw malformed(message + "." + field + " is missing");
    }
    return part;
  }

  public MalformedFrameException unexpected(String message, int tag) {
    return malformed(
        "unexpected field "
            + (tag >>> WIRE_TYPE_BITS)
            + " of wire type "
            + (tag & ((1 << WIRE_TYPE_BITS) - 1))
            + " in "
            + message);
  }

  public MalformedFrameException malformed(String what) {
    return new MalformedFrameException(what + ", at byte " + position() + " of the " + whole);
  }
}
