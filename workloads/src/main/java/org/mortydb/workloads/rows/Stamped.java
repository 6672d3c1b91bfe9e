package org.mortydb.workloads.rows;

import java.util.Arrays;
import org.mortydb.check.journal.Stamp;

/**
 * The content of one value: a row and the stamp of its writer, with their encoding.
 *
 * @param stamp identifies the writer
 * @param row the row
 * @param bytes the stored encoding of both; read-only
 * @param <R> the row's type
 */
@SuppressWarnings("ArrayRecordComponent")
public record Stamped<R>(Stamp stamp, R row, byte[] bytes) {

  /** A hash of the stored value. */
  public int valueHash() {
    return Arrays.hashCode(bytes);
  }
}
