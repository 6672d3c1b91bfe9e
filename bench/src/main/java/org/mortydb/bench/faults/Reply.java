package org.mortydb.bench.faults;

import org.jspecify.annotations.Nullable;
import org.mortydb.bench.operations.OperationType;

/**
 * How an operation ended.
 *
 * @param type {@link OperationType#OK}, {@link OperationType#FAIL} or {@link OperationType#INFO}
 * @param value what came of it, as a value of EDN; null unless it took place
 * @param error why it did not, as a keyword or string; null if it did
 */
public record Reply(OperationType type, @Nullable Object value, @Nullable Object error) {

  /** It took place. */
  static Reply ok(@Nullable Object value) {
    return new Reply(OperationType.OK, value, null);
  }

  /** It did not. */
  static Reply fail(String error) {
    return new Reply(OperationType.FAIL, null, Values.keyword(error));
  }

  /** Nobody knows. */
  static Reply info(String error) {
    return new Reply(OperationType.INFO, null, Values.keyword(error));
  }

  /** Whether it took place. */
  boolean ok() {
    return type == OperationType.OK;
  }
}
