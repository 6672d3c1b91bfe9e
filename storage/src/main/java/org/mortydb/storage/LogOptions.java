package org.mortydb.storage;

import java.time.Duration;

/**
 * The limits of a log.
 *
 * @param durability when a record counts as kept
 * @param forceInterval in async mode: how long a record may wait to be forced, 1 ms to 1 min
 * @param segmentBytes the length at which a segment ends; 4 KiB to 1 GiB
 * @param bufferBytes the most bytes of records that may wait to be written, so also the longest
 *     record with its header; there are two such buffers. 4 KiB to 64 MiB
 */
public record LogOptions(
    Durability durability, Duration forceInterval, int segmentBytes, int bufferBytes) {
  /** 64 MiB segments, 32 MiB buffers, in async mode forced every 20 ms. */
  public static LogOptions of(Durability durability) {
    return new LogOptions(durability, Duration.ofMillis(20), 64 * 1024 * 1024, 32 * 1024 * 1024);
  }

  public LogOptions {
    if (forceInterval.toMillis() < 1 || forceInterval.toMinutes() > 1) {
      throw new IllegalArgumentException("forceInterval is " + forceInterval);
    }
    if (segmentBytes < 4096 || segmentBytes > 1024 * 1024 * 1024) {
      throw new IllegalArgumentException("segmentBytes is " + segmentBytes);
    }
    if (bufferBytes < 4096 || bufferBytes > RecordFormat.MAX_PAYLOAD_BYTES) {
      throw new IllegalArgumentException("bufferBytes is " + bufferBytes);
    }
  }

  /** Returns the length of the longest possible payload in bytes. */
  public int maxPayloadBytes() {
    return bufferBytes - RecordFormat.MARK_BYTES - RecordFormat.HEADER_BYTES;
  }
}
