package org.mortydb.client.engine;

import org.jspecify.annotations.Nullable;
import org.mortydb.client.Result;

/**
 * Receives the end of a transaction: one of the two, once, on the engine's thread.
 *
 * @param <R> what the transaction yields
 */
public interface ResultHandler<R extends @Nullable Object> {

  /** It ran, and ended so. */
  void completed(Result<R> result);

  /** It was not run, or its own code threw; nothing of it remains. */
  void failed(Throwable cause);
}
