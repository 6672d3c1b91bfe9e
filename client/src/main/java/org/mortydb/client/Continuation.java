package org.mortydb.client;

import org.jspecify.annotations.Nullable;

/**
 * What a transaction does once a read is answered. It is called again, with another value, when the
 * read becomes stale; so it has no outside effects, and does not block.
 *
 * @param <S> the state's type
 * @param <V> what was read
 */
@FunctionalInterface
public interface Continuation<S, V extends @Nullable Object> {

  /**
   * Goes on with the transaction; one turn, see {@link Transaction}.
   *
   * @param ctx the context that was given to the read
   * @param value what was read
   */
  void resume(Context<S> ctx, V value);
}
