package org.mortydb.bench.operations;

import org.jspecify.annotations.Nullable;

/**
 * One entry of a history: that an operation began, or how it ended.
 *
 * @param index its place in the history, from 0
 * @param timeNanos when it happened, by a clock that is the same for all processes
 * @param type whether it began, or how it ended
 * @param process who does one operation after the other, 0 or more; {@link #NEMESIS} for faults
 * @param f what is done, without the colon of the keyword
 * @param value with what, or what came of it: numbers, strings, keywords, lists and maps of EDN
 * @param error why it did not succeed; null if it did, or nothing is known
 */
public record Operation(
    long index,
    long timeNanos,
    OperationType type,
    int process,
    String f,
    @Nullable Object value,
    @Nullable Object error) {

  /** The process that makes faults. */
  public static final int NEMESIS = -1;
}
