package org.mortydb.client.direct;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Result;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/** A message of the engine's thread to the body's thread. */
sealed interface Mail<R extends @Nullable Object> {

  /** An attempt begins. */
  record Begun<R extends @Nullable Object>(int attempt) implements Mail<R> {}

  /** A read is answered, or, in a higher execution, answered again. */
  record Resumed<R extends @Nullable Object>(int execution, int operation, List<Value> values)
      implements Mail<R> {}

  /** A scan is answered, or, in a higher execution, answered again. */
  record Scanned<R extends @Nullable Object>(int execution, int operation, List<Row> rows)
      implements Mail<R> {}

  /** The transaction has ended with a result. */
  record Completed<R extends @Nullable Object>(Result<R> result) implements Mail<R> {}

  /** The transaction has ended without a result. */
  record Failed<R extends @Nullable Object>(Throwable cause) implements Mail<R> {}
}
