package org.mortydb.storage;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Records that wait to be written together, after space for a mark. */
final class Batch {
  private static final int FIRST_BYTES = 256 * 1024;

  private final int mostBytes;
  private ByteBuffer buffer;
  private long base;
  private int records;

  Batch(int mostBytes) {
    this.mostBytes = mostBytes;
    this.buffer = ByteBuffer.allocateDirect(Math.min(FIRST_BYTES, mostBytes));
    restart(0);
  }

  /** Empties the batch. */
  void restart(long newBase) {
    base = newBase;
    records = 0;
    buffer.clear().position(RecordFormat.MARK_BYTES);
  }

  boolean isEmpty() {
    return records == 0;
  }

  int records() {
    return records;
  }

  int bytes() {
    return buffer.position();
  }

  /** Returns the position in the log after the last record. */
  long end() {
    return base + buffer.position();
  }

  /**
   * Appends a record.
   *
   * @param crc the checksum of the payload
   * @return false if there is no room
   */
  boolean add(byte tag, ByteBuffer payload, CRC32C crc) {
    int at = buffer.position();
    int length = payload.remaining();
    long needed = (long) at + RecordFormat.HEADER_BYTES + length;
    if (needed > mostBytes) {
      return false;
    }
    if (needed > buffer.capacity()) {
      long larger = Math.min(mostBytes, Math.max(needed, 2L * buffer.capacity()));
      buffer = ByteBuffer.allocateDirect((int) larger).put(buffer.flip());
    }
    buffer.position(at + RecordFormat.HEADER_BYTES).put(payload);
    RecordFormat.putHeader(buffer, at, crc, length, end(at), RecordFormat.DATA, tag);
    records++;
    return true;
  }

  private long end(int at) {
    return base + at;
  }

  /** Returns the bytes to write, with the mark filled in. */
  ByteBuffer toWrite(long durable, long incarnation) {
    ByteBuffer mark = ByteBuffer.allocate(RecordFormat.MARK_PAYLOAD_BYTES);
    mark.putLong(durable).putLong(incarnation).flip();
    ByteBuffer bytes = buffer.duplicate().flip();
    RecordFormat.put(bytes, base, RecordFormat.MARK, (byte) 0, mark);
    return bytes.position(0);
  }
}
