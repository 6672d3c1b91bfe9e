package org.mortydb.client;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A running transaction in the continuation-passing style.
 *
 * <p>The application runs in <em>turns</em>: the {@link TransactionBody} is the first turn, and
 * every call of a continuation is another. A turn writes and deletes as it likes. It ends with
 * exactly one call of {@link #get}, {@link #getAll}, {@link #scan}, {@link #commit} or {@link
 * #abort}, and calls nothing after that. When a read becomes stale, the client calls its
 * continuation again with the newer value, in a new execution: the operations before the read are
 * kept, and those after it are dropped.
 *
 * <p>A value that a turn reads may be uncommitted, and two reads may belong to different moments
 * until the transaction has committed. The store commits the transaction only if all reads were
 * right. An {@link #abort}, or an exception, is likewise reported only if all reads were right, and
 * otherwise the transaction goes on; see {@link TransactionOptions#validatesAborts}.
 *
 * <p>Turns run on the client's own thread. The application makes its calls on that thread, within
 * the turn that the context was passed to. Calls with the context of a superseded execution, or of
 * a transaction that has ended, do nothing, because late code may make them. Other misuse throws
 * {@link IllegalStateException}: a turn that ends in no way or in two ways, a context of an earlier
 * turn, or a call of another thread. An exception that leaves a turn aborts the transaction, and
 * its future fails with that exception.
 *
 * @param <S> the state's type
 */
public interface Transaction<S> {

  /** The number of this attempt, from 1. A re-execution has the number of its attempt. */
  int attempt();

  /**
   * Reads a key and ends the turn. A key that this execution has written gives the written value; a
   * key that it has read before gives the value of that read.
   *
   * @param next gets null when the key holds nothing
   * @throws LimitExceededException when the transaction has too many operations
   */
  <V> void get(Context<S> ctx, TypedKey<V> key, Continuation<S, @Nullable V> next);

  /**
   * Reads several keys in parallel and ends the turn. Each key may become stale on its own; the
   * client then uses the values of the others again, without asking for them.
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
   * Reads the keys of a range that hold something, in their order, up to a limit, and ends the
   * turn. The entries include the writes of this execution. Serializable like every read: a
   * transaction that inserts, changes or deletes a key in the scanned part comes before this
   * transaction, or after it. The scanned part ends at the last entry if the limit cuts the range
   * off. The client asks every partition, because keys are spread over all of them.
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
   * @throws LimitExceededException when the value, or the transaction's write set, is too large
   * @throws IllegalStateException when the transaction is declared read-only
   */
  <V> void put(Context<S> ctx, TypedKey<V> key, V value);

  /**
   * Deletes a key: reads find nothing there.
   *
   * @throws LimitExceededException when the transaction has too many operations
   * @throws IllegalStateException when the transaction is declared read-only
   */
  void delete(Context<S> ctx, TypedKey<?> key);

  /**
   * Adds to a number without reading it; see {@link DirectTransaction#add}.
   *
   * @param key a key with the codec {@link Codecs#INT64}
   * @throws IllegalArgumentException when the key has another codec
   * @throws UnsupportedOperationException when the cluster's system has no merges
   */
  default void add(Context<S> ctx, TypedKey<Long> key, long n) {
    throw new UnsupportedOperationException("no merges: get and put " + key);
  }

  /**
   * Raises a number if it is lower, without reading it; see {@link DirectTransaction#max}.
   *
   * @param key a key with the codec {@link Codecs#INT64}
   * @throws IllegalArgumentException when the key has another codec
   * @throws UnsupportedOperationException when the cluster's system has no merges
   */
  default void max(Context<S> ctx, TypedKey<Long> key, long n) {
    throw new UnsupportedOperationException("no merges: get and put " + key);
  }

  /**
   * Writes a key if it holds nothing, without reading it; see {@link
   * DirectTransaction#putIfAbsent}.
   *
   * @throws UnsupportedOperationException when the cluster's system has no merges
   */
  default <V> void putIfAbsent(Context<S> ctx, TypedKey<V> key, V value) {
    throw new UnsupportedOperationException("no merges: get and put " + key);
  }

  /**
   * Appends an item to a list without reading it; see {@link DirectTransaction#append}.
   *
   * @param key a key with a codec of {@link Codecs#listOf}
   * @param atMost the list keeps so many of its last items
   * @throws IllegalArgumentException when the key has another codec, or {@code atMost} is out of
   *     bounds
   * @throws LimitExceededException when a list of {@code atMost} such items is longer than a value
   * @throws UnsupportedOperationException when the cluster's system has no merges
   */
  default <T> void append(Context<S> ctx, TypedKey<List<T>> key, T item, int atMost) {
    throw new UnsupportedOperationException("no merges: get and put " + key);
  }

  /** Asks to commit and ends the turn. The context's state becomes the result's value. */
  void commit(Context<S> ctx);

  /**
   * Asks to commit and ends the turn.
   *
   * @param next called once, outside of the transaction, with its result, right before the future
   *     completes. Of several executions and attempts, only the one that decided the result calls
   *     it. May have outside effects; must not block
   */
  void commit(Context<S> ctx, Consumer<Result<S>> next);

  /** Aborts and ends the turn. The context's state becomes the result's value. */
  void abort(Context<S> ctx);
}
