package org.mortydb.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Value;

/**
 * A strict reader of protobuf's encoding. Keys and values are copied from the buffer straight into
 * arrays of their own. The reader allocates nothing before it knows that the bytes are there and
 * that the size is within the limits.
 */
public final class WireReader {
  private static final int WIRE_TYPE_BITS = 3;

  /** The most bits that the bytes of a varint may hold. */
  private static final int VARINT_BITS = 70;

  private final ByteBuffer in;

  /** What the bytes are, for error messages. */
  private final String whole;

  /** Whether the bytes are the fields of one message that nobody has entered yet. */
  private boolean isMessage;

  private int position;

  /** Where the current message ends. */
  private int end;

  /** A reader of what is left in a buffer, whose position stays as it is. */
  WireReader(ByteBuffer bytes) {
    this(bytes, "frame", false);
  }

  private WireReader(ByteBuffer bytes, String whole, boolean isMessage) {
    this.in = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
    this.whole = whole;
    this.isMessage = isMessage;
    this.end = in.remaining();
  }

  /** A reader of bytes that are the fields of one message: the first {@link #enter} enters it. */
  public static WireReader ofMessage(byte[] content) {
    return new WireReader(ByteBuffer.wrap(content), "message", true);
  }

  /** The number of bytes read so far. */
  public int position() {
    return position;
  }

  /** The next field's tag, 0 at the end of the current message. */
  public int tag() throws MalformedFrameException {
    if (position == end) {
      return 0;
    }
    int tag = varint32();
    if (tag >>> WIRE_TYPE_BITS == 0) {
      throw noProtobuf();
    }
    return tag;
  }

  /** Enters a nested message; its fields end where {@link #tag} returns 0. */
  public int enter() throws MalformedFrameException {
    int outer = end;
    if (isMessage) {
      isMessage = false;
      return outer; // there is no limit but the end
    }
    int length = varint32();
    require(length);
    end = position + length;
    return outer;
  }

  /** Leaves a nested message, with what {@link #enter} returned. */
  public void leave(int outer) {
    end = outer;
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
    return position < end;
  }

  /** A uint32 that fits into an int. */
  public int number(String message, String field) throws IOException {
    int value = varint32();
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

  public long fixed64() throws MalformedFrameException {
    require(Long.BYTES);
    long value = in.getLong(position);
    position += Long.BYTES;
    return value;
  }

  public boolean bool() throws MalformedFrameException {
    return varint64() != 0;
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
    int size = varint32();
    require(size);
    return copy(size);
  }

  public Value value(String message, String field) throws IOException {
    return Value.wrap(bytes(message, field, Limits.MAX_VALUE_BYTES));
  }

  private byte[] bytes(String message, String field, int atMost) throws IOException {
    int size = varint32();
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
    require(size);
    return copy(size);
  }

  private byte[] copy(int size) {
    byte[] bytes = new byte[size];
    in.get(position, bytes);
    position += size;
    return bytes;
  }

  /** The lower half of a varint. */
  private int varint32() throws MalformedFrameException {
    if (position < end) {
      int first = in.get(position);
      if (first >= 0) { // most are of one byte
        position++;
        return first;
      }
    }
    return (int) varint64();
  }

  private long varint64() throws MalformedFrameException {
    long value = 0;
    for (int shift = 0; shift < VARINT_BITS; shift += 7) {
      require(1);
      byte next = in.get(position++);
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw noProtobuf();
  }

  /** Checks that so many bytes are left in the current message. */
  private void require(int bytes) throws MalformedFrameException {
    if (bytes < 0 || bytes > end - position) {
      throw noProtobuf();
    }
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

  private MalformedFrameException noProtobuf() {
    return malformed("bytes that are no protobuf message");
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
