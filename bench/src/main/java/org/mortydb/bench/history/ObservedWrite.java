package org.mortydb.bench.history;

import org.jspecify.annotations.Nullable;

/**
 * One write as the application made it, linked to the writes before it.
 *
 * @param previous the write before, null for the first
 * @param record the number of the record that was written, once in a transaction
 * @param valueHash the value's hash
 */
public record ObservedWrite(@Nullable ObservedWrite previous, int record, int valueHash) {}
