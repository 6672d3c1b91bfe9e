package org.mortydb.check.journal;

import org.jspecify.annotations.Nullable;

/**
 * A write of the application, linked to the writes before it.
 *
 * @param previous the previous write; null for the first
 * @param record the number of the record
 * @param deleted whether it is a deletion
 * @param valueHash the value's hash; 0 for a deletion
 */
public record ObservedWrite(
    @Nullable ObservedWrite previous, long record, boolean deleted, int valueHash) {

  /** A write of a value. */
  public ObservedWrite(@Nullable ObservedWrite previous, long record, int valueHash) {
    this(previous, record, false, valueHash);
  }
}
