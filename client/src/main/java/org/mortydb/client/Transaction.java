package org.mortydb.client;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A running transaction in the continuation-passing style.
 *
 * <p>The application runs in <em>turns</em>: the {@link TransactionBody} is the first, and every
 * continuation is one. A turn writes and deletes as it likes and then ends with exactly one of
 * {@link #get}, {@link #getAll}, {@link #scan}, {@link #commit} and {@link #abort}, after which it
 * calls nothing more. When a read becomes stale its continuation is called again with the newer
 * value, in a new execution: what was done before the read is kept, what came after it is dropped.
 *
 * <p>What a turn reads may be uncommitted, and two reads may belong to different moments until the
 * transaction has committed. The store commits only if all of them were right; a decision to {@link
 * #abort}, or an exception, takes effect at once.
 *
 * <p>Turns run on the client's own thread; calls are made on that thread, within the turn that the
 * context was handed to. Calls with the context of an execution that has been superseded, or of a
 * transaction that has ended, do nothing: that is normal for code that is late. Other misuse (a
 * turn that ends in no way, or in two, or a context of an earlier turn) throws {@link
 * IllegalStateException}. An exception that leaves a turn aborts the transaction and becomes the
 * failure of its future.
 *
 * @param <S> the state's type
 */
public interface Transaction<S> {

  /**
   * Reads a key and ends the turn. A key that this execution has written is answered with what was
   * written; a key that it has read before, with what was read.
   *
   * @param next gets null when the key holds nothing
   * @throws LimitExceededException when the transaction has too many operations
   */
  <V> void get(Context<S> ctx, TypedKey<V> key, Continuation<S, @Nullable V> next);

  /**
   * Reads several keys in parallel and ends the turn. Each key may become stale on its own; values
   * of the others are then used again without asking for them.
   *
   * @param keys at least one; repetitions are allowed
   * @param next gets one value for each key in the order of {@code keys}, null for one that holds
   *     nothing
   * @throws IllegalArgumentException when there are no keys
   * @throws LimitExceededException when the transaction has too many operations
   */
  <V> void getAll(
      Context<S> ctx,
      List<? extends TypedKey<? extends V>> keys,
      Continuation<S, List<@Nullable V>> next);

  /**
   * Reads what follows each other in a range and ends the turn: keys that hold something, in their
   * order, up to a limit. What this execution has written itself is among them. Serializable like
   * every read: whoever inserts, changes or deletes in what was shown of the range is before this
   * transaction, or after it. Of a range that the limit cuts off, that is the part up to the last
   * entry. Every partition is asked, because keys are spread over all of them.
   *
   * @param limit how many entries at most, from 1 to {@link
   *     org.mortydb.protocol.model.Limits#MAX_SCAN_ROWS}
   * @param next gets the entries; fewer than {@code limit} when there are no more in the range
   * @throws IllegalArgumentException when the limit is out of bounds
   * @throws LimitExceededException when the transaction has more scans than {@link
   *     org.mortydb.protocol.model.Limits#MAX_SCANS}, or too many operations
   * @throws UnsupportedOperationException when the cluster's system has no scans
   */
  <K, V> void scan(
      Context<S> ctx, TypedRange<K, V> range, int limit, Continuation<S, List<Entry<K, V>>> next);

  /**
   * Writes a key. Other transactions may see the value from now on, marked as uncommitted.
   *
   * @throws LimitExceededException when the value or all that was written is too large
   */
  <V> void put(Context<S> ctx, TypedKey<V> key, V value);

  /**
   * Deletes a key: reads find nothing there.
   *
   * @throws LimitExceededException when the transaction has too many operations
   */
  void delete(Context<S> ctx, TypedKey<?> key);

  /** Asks to commit and ends the turn. The context's state becomes the result's value. */
  void commit(Context<S> ctx);

  /**
   * Asks to commit and ends the turn.
   *
   * @param next called once, outside of the transaction, with its result, right before the future
   *     completes; of several executions and attempts only the one that decided the result calls
   *     it. May have outside effects; must not block
   */
  void commit(Context<S> ctx, Consumer<Result<S>> next);

  /** Aborts and ends the turn. The context's state becomes the result's value. */
  void abort(Context<S> ctx);
}
