package org.mortydb.check.journal;

import org.jspecify.annotations.Nullable;

/**
 * A read as the application saw it, linked to the reads before it, so that it can be part of an
 * immutable state.
 *
 * @param previous the previous read; null for the first
 * @param record the number of the record
 * @param writerSession the session in the value's stamp; {@link #ABSENT} if there was no value,
 *     {@link #UNSTAMPED} if the value has none
 * @param writerSequence the sequence in the value's stamp
 * @param valueHash the value's hash
 */
public record ObservedRead(
    @Nullable ObservedRead previous,
    long record,
    int writerSession,
    int writerSequence,
    int valueHash) {

  /** The writer's session of an absent record. */
  public static final int ABSENT = -1;

  /** The writer's session of a value without a stamp: transactions merge into its record. */
  public static final int UNSTAMPED = -2;
}
