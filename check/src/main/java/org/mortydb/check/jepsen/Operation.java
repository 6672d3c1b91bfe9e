package org.mortydb.check.jepsen;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;

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
 * @param place of a transaction that committed, its id, the place in the serial order; null if that
 *     is not known
 */
public record Operation(
    long index,
    long timeNanos,
    OperationType type,
    int process,
    String f,
    @Nullable Object value,
    @Nullable Object error,
    @Nullable TxnId place) {

  /** The process that makes faults. */
  public static final int NEMESIS = -1;

  /** The same without its place. */
  public Operation withoutPlace() {
    return new Operation(index, timeNanos, type, process, f, value, error, null);
  }
}
