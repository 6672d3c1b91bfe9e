package org.mortydb.faults.nemesis;

import org.jspecify.annotations.Nullable;
import org.mortydb.check.jepsen.OperationType;
import org.mortydb.protocol.model.TxnId;

/**
 * How an operation ended.
 *
 * @param type {@link OperationType#OK}, {@link OperationType#FAIL} or {@link OperationType#INFO}
 * @param value the result in EDN; null unless it committed
 * @param error why it failed, as a keyword or string; null if it committed
 * @param place the id of its transaction, its place in the serial order; null unless it committed
 *     as one transaction
 */
public record Reply(
    OperationType type, @Nullable Object value, @Nullable Object error, @Nullable TxnId place) {

  /** Committed, in one transaction. */
  static Reply ok(@Nullable Object value, TxnId place) {
    return new Reply(OperationType.OK, value, null, place);
  }

  /** Committed, in pieces. */
  static Reply ok(@Nullable Object value) {
    return new Reply(OperationType.OK, value, null, null);
  }

  /** Failed: it never took place. */
  static Reply fail(String error) {
    return new Reply(OperationType.FAIL, null, Values.keyword(error), null);
  }

  /** Unknown. */
  static Reply info(String error) {
    return new Reply(OperationType.INFO, null, Values.keyword(error), null);
  }

  /** Whether it committed. */
  boolean ok() {
    return type == OperationType.OK;
  }
}
