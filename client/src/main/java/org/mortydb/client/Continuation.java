package org.mortydb.client;

import org.jspecify.annotations.Nullable;

/**
 * The code of a transaction that follows a read. The client calls it again, with another value,
 * when the read becomes stale; so it has no outside effects, and does not block.
 *
 * @param <S> the state's type
 * @param <V> the type of the value that is read
 */
@FunctionalInterface
public interface Continuation<S, V extends @Nullable Object> {

  /**
   * Continues the transaction for one turn, see {@link Transaction}.
   *
   * @param ctx holds the state that was given to the read
   * @param value the value that was read
   */
  void resume(Context<S> ctx, V value);
}
