package org.mortydb.faults.nemesis;

import org.jspecify.annotations.Nullable;
import org.mortydb.check.jepsen.OperationType;
import org.mortydb.protocol.model.TxnId;

/**
 * How an operation ended.
 *
 * @param type {@link OperationType#OK}, {@link OperationType#FAIL} or {@link OperationType#INFO}
 * @param value what came of it, as a value of EDN; null unless it took place
 * @param error why it did not, as a keyword or string; null if it did
 * @param place the id of the transaction that did it, its place in the serial order; null unless it
 *     took place as one transaction
 */
public record Reply(
    OperationType type, @Nullable Object value, @Nullable Object error, @Nullable TxnId place) {

  /** It took place, in one transaction. */
  static Reply ok(@Nullable Object value, TxnId place) {
    return new Reply(OperationType.OK, value, null, place);
  }

  /** It took place, in pieces. */
  static Reply ok(@Nullable Object value) {
    return new Reply(OperationType.OK, value, null, null);
  }

  /** It did not. */
  static Reply fail(String error) {
    return new Reply(OperationType.FAIL, null, Values.keyword(error), null);
  }

  /** Nobody knows. */
  static Reply info(String error) {
    return new Reply(OperationType.INFO, null, Values.keyword(error), null);
  }

  /** Whether it took place. */
  boolean ok() {
    return type == OperationType.OK;
  }
}
