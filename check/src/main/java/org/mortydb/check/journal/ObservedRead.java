package org.mortydb.check.journal;

import org.jspecify.annotations.Nullable;

/**
 * One read as the application saw it, linked to the reads before it, so that it can travel in an
 * immutable transaction state.
 *
 * @param previous the read before, null for the first
 * @param record the number of the record that was read
 * @param writerSession the session in the value's stamp, {@link #ABSENT} when there was no value
 * @param writerSequence the sequence in the value's stamp
 * @param valueHash the value's hash
 */
public record ObservedRead(
    @Nullable ObservedRead previous,
    long record,
    int writerSession,
    int writerSequence,
    int valueHash) {

  /** The writer's session of a record that was not there. */
  public static final int ABSENT = -1;
}
