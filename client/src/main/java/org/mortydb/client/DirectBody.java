package org.mortydb.client;

import org.jspecify.annotations.Nullable;

/**
 * A transaction in the direct style. Runs again whenever a read becomes stale or an attempt failed;
 * see {@link DirectTransaction} for what follows from that.
 *
 * @param <R> what it returns
 */
@FunctionalInterface
public interface DirectBody<R extends @Nullable Object> {

  /** Runs the transaction; returning asks to commit. */
  R run(DirectTransaction txn);
}
