package org.mortydb.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A strict reader of protobuf's encoding. If it is told to be tolerant, it skips unknown fields,
 * and stays as strict with all others. Keys and values are copied from the buffer into their own
 * arrays. The reader allocates memory only after it has checked that the bytes are there and that
 * their size is within the limits.
 */
public final class WireReader {
  private static final int WIRE_TYPE_BITS = 3;

  /** The wire type of four bytes, which no known field has. */
  private static final int FIXED32 = 5;

  /** The bits of the longest varint. */
  private static final int VARINT_BITS = 70;

  private final ByteBuffer in;

  private final String whole;

  /** Whether messages may have fields that this process does not know. */
  private final boolean tolerant;

  private boolean isMessage;

  private int position;

  /** Where the current message ends. */
  private int end;

  /**
   * A reader of a buffer's remaining bytes; the buffer's position does not change.
   *
   * @param whole the name of the whole in errors
   * @param isMessage whether the bytes are the fields of one message, which the first {@link
   *     #fields} enters
   * @param tolerant whether messages may have fields that this process does not know
   */
  WireReader(ByteBuffer bytes, String whole, boolean isMessage, boolean tolerant) {
    this.tolerant = tolerant;
    this.in = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
    this.whole = whole;
    this.isMessage = isMessage;
    this.end = in.remaining();
  }

  /** A reader that refuses every unknown field. */
  WireReader(ByteBuffer bytes, String whole, boolean isMessage) {
    this(bytes, whole, isMessage, false);
  }

  /** A reader of the fields of one message, which the first {@link #fields} enters. */
  public static WireReader ofMessage(byte[] content) {
    return new WireReader(ByteBuffer.wrap(content), "message", true);
  }

  /** Whether messages may have fields that this process does not know. */
  boolean isTolerant() {
    return tolerant;
  }

  /** Skips the content of a field. */
  void skip(int tag) throws MalformedFrameException {
    switch (tag & ((1 << WIRE_TYPE_BITS) - 1)) {
      case PartDecoder.VARINT -> varint64();
      case PartDecoder.FIXED64 -> pass(Long.BYTES);
      case PartDecoder.BYTES -> pass(varint32());
      case FIXED32 -> pass(Integer.BYTES);
      default -> throw noProtobuf();
    }
  }

  private void pass(int bytes) throws MalformedFrameException {
    require(bytes);
    position += bytes;
  }

  /** The number of bytes read so far. */
  int position() {
    return position;
  }

  /** The next field's tag; 0 at the end of the current message. */
  int tag() throws MalformedFrameException {
    if (position == end) {
      return 0;
    }
    int tag = varint32();
    if (tag >>> WIRE_TYPE_BITS == 0) {
      throw noProtobuf();
    }
    return tag;
  }

  /**
   * Enters a nested message, to read its fields.
   *
   * @param message its name in errors
   */
  public MessageFields fields(String message) throws MalformedFrameException {
    return new MessageFields(this, message, enter());
  }

  /**
   * Enters a nested message, and returns the end of the enclosing one. {@link #tag} returns 0 at
   * the end.
   */
  int enter() throws MalformedFrameException {
    int outer = end;
    if (isMessage) {
      isMessage = false; // it ends where the bytes end
      return outer;
    }
    int length = varint32();
    require(length);
    end = position + length;
    return outer;
  }

  /**
   * Leaves a nested message.
   *
   * @param outer the result of {@link #enter}
   */
  void leave(int outer) {
    end = outer;
  }

  /** Reads a message without fields, and returns its meaning. */
  <T> T empty(String message, T meaning) throws MalformedFrameException {
    MessageFields fields = fields(message);
    while (fields.next()) {
      fields.unknown();
    }
    return meaning;
  }

  /** Whether a packed field has more numbers. */
  boolean hasMore() {
    return position < end;
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

  /** Bytes of any size within the current message. */
  byte[] content() throws MalformedFrameException {
    return bytes(varint32());
  }

  /** A copy of the next {@code size} bytes, which must be there. */
  byte[] bytes(int size) throws MalformedFrameException {
    require(size);
    byte[] bytes = new byte[size];
    in.get(position, bytes);
    position += size;
    return bytes;
  }

  /** The lower half of a varint. */
  int varint32() throws MalformedFrameException {
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

  /** Checks that this many bytes are left in the current message. */
  private void require(int bytes) throws MalformedFrameException {
    if (bytes < 0 || bytes > end - position) {
      throw noProtobuf();
    }
  }

  private MalformedFrameException noProtobuf() {
    return malformed("the bytes are no protobuf message");
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

  public MalformedFrameException malformed(String what) {
    return new MalformedFrameException(what + ", at byte " + position() + " of the " + whole);
  }
}
