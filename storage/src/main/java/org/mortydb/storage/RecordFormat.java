package org.mortydb.storage;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The format of a record in segments and checkpoints; numbers are big-endian.
 *
 * <pre>
 *   crc       4   CRC-32C of the payload and then of the fields below, up to it
 *   length    4   bytes of the payload
 *   position  8   where the record begins: in the log, or in the checkpoint
 *   kind      1
 *   tag       1   the caller's, 0 for kinds of our own
 *   payload
 * </pre>
 *
 * <p>The checksum covers the payload first, so that it can be computed before the position is
 * known.
 */
final class RecordFormat {
  static final int HEADER_BYTES = 18;

  /** A record of the caller. */
  static final byte DATA = 1;

  /** First in every batch of a log: the position up to which the log was forced before. */
  static final byte MARK = 2;

  /** Last in a segment that has a successor; takes up no position. */
  static final byte SEAL = 3;

  /** Last in a checkpoint. */
  static final byte TRAILER = 4;

  /** Position forced, incarnation. */
  static final int MARK_PAYLOAD_BYTES = 16;

  static final int MARK_BYTES = HEADER_BYTES + MARK_PAYLOAD_BYTES;

  /** A larger length is damage. */
  static final int MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;

  private static final int CRC_BYTES = 4;

  private RecordFormat() {}

  static CRC32C checksum(ByteBuffer payload) {
    CRC32C crc = new CRC32C();
    crc.update(payload.duplicate());
    return crc;
  }

  /**
   * Writes a header at an index of a buffer.
   *
   * @param crc the checksum of the payload
   */
  static void putHeader(
      ByteBuffer to, int at, CRC32C crc, int length, long position, byte kind, byte tag) {
    to.putInt(at + 4, length);
    to.putLong(at + 8, position);
    to.put(at + 16, kind);
    to.put(at + 17, tag);
    crc.update(to.slice(at + CRC_BYTES, HEADER_BYTES - CRC_BYTES));
    to.putInt(at, (int) crc.getValue());
  }

  /** Appends a whole record at a buffer's position. */
  static void put(ByteBuffer to, long position, byte kind, byte tag, ByteBuffer payload) {
    int at = to.position();
    int length = payload.remaining();
    CRC32C crc = checksum(payload);
    to.position(at + HEADER_BYTES);
    to.put(payload);
    putHeader(to, at, crc, length, position, kind, tag);
  }

  static int crc(ByteBuffer record, int at) {
    return record.getInt(at);
  }

  static int length(ByteBuffer record, int at) {
    return record.getInt(at + 4);
  }

  static long position(ByteBuffer record, int at) {
    return record.getLong(at + 8);
  }

  static byte kind(ByteBuffer record, int at) {
    return record.get(at + 16);
  }

  static byte tag(ByteBuffer record, int at) {
    return record.get(at + 17);
  }

  /** Whether the checksum of a complete record is right. */
  static boolean isIntact(ByteBuffer buffer, int at) {
    CRC32C crc = checksum(buffer.slice(at + HEADER_BYTES, length(buffer, at)));
    crc.update(buffer.slice(at + CRC_BYTES, HEADER_BYTES - CRC_BYTES));
    return (int) crc.getValue() == crc(buffer, at);
  }
}
