package org.mortydb.check.jepsen;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;

/**
 * An entry of a history: the begin or the end of an operation.
 *
 * @param index its position in the history, from 0
 * @param timeNanos its time, by one clock for all processes
 * @param type begin, or kind of end
 * @param process its process, which runs one operation at a time, 0 or more; {@link #NEMESIS} for
 *     faults
 * @param f the function, without the colon of the keyword
 * @param value the request or the result: numbers, strings, keywords, lists and maps of EDN
 * @param error the reason of a failure; null if there is none
 * @param place the serial position of a committed transaction; null if unknown
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

  /** The process that causes faults. */
  public static final int NEMESIS = -1;

  /** This entry without its serial position. */
  public Operation withoutPlace() {
    return new Operation(index, timeNanos, type, process, f, value, error, null);
  }
}
