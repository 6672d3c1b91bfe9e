package org.mortydb.client.engine;

import org.jspecify.annotations.Nullable;
import org.mortydb.client.Result;

/**
 * Receives the end of a transaction: one call of one method, on the engine's thread.
 *
 * @param <R> the type of the transaction's yield
 */
public interface ResultHandler<R extends @Nullable Object> {

  /** The transaction ran, and ended with a result. */
  void completed(Result<R> result);

  /** The transaction did not run, or its own code threw; nothing of it remains. */
  void failed(Throwable cause);
}
