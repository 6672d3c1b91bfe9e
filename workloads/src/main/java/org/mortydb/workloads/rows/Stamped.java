package org.mortydb.workloads.rows;

import java.util.Arrays;
import org.mortydb.check.journal.Stamp;

/**
 * The content of one value: a row and the stamp of its writer, with their encoding.
 *
 * @param stamp who wrote it
 * @param row what it says
 * @param bytes both as stored; read only
 * @param <R> the row's type
 */
@SuppressWarnings("ArrayRecordComponent")
public record Stamped<R>(Stamp stamp, R row, byte[] bytes) {

  /** A hash of the value as stored. */
  public int valueHash() {
    return Arrays.hashCode(bytes);
  }
}
