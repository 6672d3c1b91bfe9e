package org.mortydb.protocol.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Reads or writes the fields of a row, one after another. A cursor over its own array grows it; one
 * over a page must stay within its block.
 */
public final class ByteCursor {
  private static final int INITIAL_BYTES = 256;

  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] bytes;
  private int at;

  /** A cursor over an array of its own. */
  public ByteCursor() {
    this(new byte[INITIAL_BYTES], 0);
  }

  /** A cursor over an array, at a place in it. */
  public ByteCursor(byte[] bytes, int at) {
    this.bytes = bytes;
    this.at = at;
  }

  /** The array; another one once the cursor has grown it. */
  public byte[] bytes() {
    return bytes;
  }

  /** The place in the array of the next field. */
  public int at() {
    return at;
  }

  /** Goes to a place in the array. */
  public void moveTo(int place) {
    at = place;
  }

  /** Writes one byte. */
  public void writeByte(int value) {
    room(1);
    bytes[at++] = (byte) value;
  }

  /** Reads one byte, from 0 to 255. */
  public int readByte() {
    return bytes[at++] & 0xFF;
  }

  /** Writes a number in four bytes. */
  public void writeInt(int value) {
    room(Integer.BYTES);
    INTS.set(bytes, at, value);
    at += Integer.BYTES;
  }

  /** Reads a number in four bytes. */
  public int readInt() {
    int value = (int) INTS.get(bytes, at);
    at += Integer.BYTES;
    return value;
  }

  /** Writes a number in eight bytes. */
  public void writeLong(long value) {
    room(Long.BYTES);
    LONGS.set(bytes, at, value);
    at += Long.BYTES;
  }

  /** Reads a number in eight bytes. */
  public long readLong() {
    long value = (long) LONGS.get(bytes, at);
    at += Long.BYTES;
    return value;
  }

  /**
   * Writes a number in as few bytes as it needs: one for each seven bits.
   *
   * @param value not negative
   */
  public void writeCount(int value) {
    int rest = value;
    while (rest > 0x7F) {
      writeByte(rest | 0x80);
      rest >>>= 7;
    }
    writeByte(rest);
  }

  /** Reads a number that {@link #writeCount} has written. */
  public int readCount() {
    int value = 0;
    for (int shift = 0; ; shift += 7) {
      int next = readByte();
      value |= (next & 0x7F) << shift;
      if (next < 0x80) {
        return value;
      }
    }
  }

  /**
   * Leaves room for the number of bytes that are written from now on.
   *
   * @return what {@link #endLength} needs
   */
  public int beginLength() {
    writeInt(0);
    return at;
  }

  /** Writes the number of bytes since {@link #beginLength}, which {@link #readInt} reads. */
  public void endLength(int begin) {
    INTS.set(bytes, begin - Integer.BYTES, at - begin);
  }

  /** Writes bytes, without their number. */
  public void writeBytes(byte[] source) {
    writeBytes(source, 0, source.length);
  }

  /** Writes some of the bytes of an array, from an index on, without their number. */
  public void writeBytes(byte[] source, int from, int length) {
    room(length);
    System.arraycopy(source, from, bytes, at, length);
    at += length;
  }

  /** Reads bytes, and writes them to another cursor. */
  public void copy(int length, ByteCursor to) {
    to.writeBytes(bytes, at, length);
    at += length;
  }

  /** Reads bytes. */
  public byte[] readBytes(int length) {
    byte[] read = Arrays.copyOfRange(bytes, at, at + length);
    at += length;
    return read;
  }

  private void room(int more) {
    if (bytes.length - at < more) {
      bytes = Arrays.copyOf(bytes, Math.max(at + more, 2 * bytes.length));
    }
  }
}
