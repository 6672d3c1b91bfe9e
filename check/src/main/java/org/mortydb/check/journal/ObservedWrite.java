package org.mortydb.check.journal;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Value;

/**
 * A write of the application, linked to the writes before it.
 *
 * @param previous the previous write; null for the first
 * @param record the number of the record
 * @param deleted whether it is a deletion
 * @param valueHash the value's hash; 0 for a deletion
 * @param unstamped for a record whose values carry no stamp, because transactions merge into it:
 *     the value, or the merge; otherwise null
 */
public record ObservedWrite(
    @Nullable ObservedWrite previous,
    long record,
    boolean deleted,
    int valueHash,
    @Nullable Value unstamped) {

  /** A write of a value with a stamp, or a deletion. */
  public ObservedWrite(
      @Nullable ObservedWrite previous, long record, boolean deleted, int valueHash) {
    this(previous, record, deleted, valueHash, null);
  }

  /** A write to a record whose values carry no stamp. */
  public ObservedWrite(@Nullable ObservedWrite previous, long record, Value unstamped) {
    this(previous, record, false, 0, unstamped);
  }

  /** A write of a value. */
  public ObservedWrite(@Nullable ObservedWrite previous, long record, int valueHash) {
    this(previous, record, false, valueHash);
  }
}
