package org.mortydb.storage;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The last record of a checkpoint, which proves that the checkpoint is complete. */
final class CheckpointTrailer {
  private static final int PAYLOAD_BYTES = 24;
  static final int BYTES = RecordFormat.HEADER_BYTES + PAYLOAD_BYTES;

  private final CRC32C checksums = new CRC32C();
  private final ByteBuffer four = ByteBuffer.allocate(4);
  private long records;

  /** Counts a record. */
  void add(int crc) {
    records++;
    checksums.update(four.putInt(0, crc).duplicate());
  }

  long records() {
    return records;
  }

  /**
   * Returns the payload.
   *
   * @param atLeast the position that the log must reach
   */
  ByteBuffer payload(long atLeast) {
    ByteBuffer payload = ByteBuffer.allocate(PAYLOAD_BYTES);
    return payload.putLong(records).putLong(checksums.getValue()).putLong(atLeast).flip();
  }

  boolean matches(ByteBuffer payload) {
    return payload.remaining() == PAYLOAD_BYTES
        && payload.getLong(0) == records
        && payload.getLong(8) == checksums.getValue();
  }

  /** Returns the position that the log must reach, from a matching payload. */
  static long atLeast(ByteBuffer payload) {
    return payload.getLong(16);
  }
}
