package org.mortydb.bench.retwis;

import java.util.Arrays;
import org.mortydb.bench.history.Stamp;

/**
 * The content of one value: a record and the stamp of its writer, with their encoding.
 *
 * @param stamp who wrote it
 * @param content what it says
 * @param bytes both as stored; read only
 */
@SuppressWarnings("ArrayRecordComponent")
record StampedRecord(Stamp stamp, StoredRecord content, byte[] bytes) {

  /** Encodes a record. */
  static StampedRecord of(Stamp stamp, StoredRecord content) {
    return new StampedRecord(stamp, content, RecordCodec.encode(stamp, content));
  }

  /** A hash of the value as stored. */
  int valueHash() {
    return Arrays.hashCode(bytes);
  }
}
