package org.mortydb.check.journal;

import org.jspecify.annotations.Nullable;

/**
 * One write as the application made it, linked to the writes before it.
 *
 * @param previous the write before, null for the first
 * @param record the number of the record that was written
 * @param deleted whether it was deleted
 * @param valueHash the value's hash, 0 when it was deleted
 */
public record ObservedWrite(
    @Nullable ObservedWrite previous, long record, boolean deleted, int valueHash) {

  /** A write of a value. */
  public ObservedWrite(@Nullable ObservedWrite previous, long record, int valueHash) {
    this(previous, record, false, valueHash);
  }
}
