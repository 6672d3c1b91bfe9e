package org.mortydb.client.engine;

import org.jspecify.annotations.Nullable;

/**
 * The application's side of one transaction: a style of writing transactions is a kind of driver.
 * The engine calls all methods on its thread, and they do not throw. The driver follows {@link
 * #begin}, and each answer of a read, with calls on the {@link Attempt}: at once, or later within
 * {@link ClientEngine#perform}. It closes each turn with {@link Attempt#endTurn}.
 *
 * @param <R> the type of the transaction's yield
 */
public interface Driver<R extends @Nullable Object> extends ResultHandler<R> {

  /** Begins, for the first time or, after an attempt that failed, again from the start. */
  void begin(Attempt attempt);

  /**
   * The yield of the current attempt if {@code execution} is the one that counts: the yield given
   * when that execution, or else the nearest one before it, asked to commit or to abort.
   */
  @Nullable R yielded(int execution);
}
