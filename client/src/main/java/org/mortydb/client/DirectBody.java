package org.mortydb.client;

import org.jspecify.annotations.Nullable;

/**
 * A transaction in the direct style. The client runs it again when a read becomes stale or an
 * attempt fails, so it follows the rules of {@link DirectTransaction}.
 *
 * @param <R> the type of its result
 */
@FunctionalInterface
public interface DirectBody<R extends @Nullable Object> {

  /** Runs the transaction; returning asks to commit. */
  R run(DirectTransaction txn);
}
