package org.mortydb.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A running transaction in the direct style: reads block the calling thread and return values.
 *
 * <p>When a read becomes stale, the body runs again from its start. All reads before the stale one
 * are then answered from memory, so only what depends on the stale value costs messages. The body
 * that is running is unwound by an internal {@link Error} out of its next call here, or out of the
 * one that it waits in. Hence a body has no outside effects, does not swallow {@code Error}s (a
 * {@code catch (Throwable)} must rethrow them), and depends on nothing but what it reads here; one
 * that does (on time or randomness, say) is still executed correctly, at the price of an attempt.
 *
 * <p>What is read may be uncommitted, as in {@link Transaction}. All calls are made by the thread
 * that runs the body, while it runs the body.
 */
public interface DirectTransaction {

  /**
   * Reads a key, waiting for it.
   *
   * @return the value, null when the key holds nothing
   * @throws LimitExceededException when the transaction has too many operations
   */
  <V> @Nullable V get(TypedKey<V> key);

  /** Reads a key, waiting for it; {@code ifAbsent} when it holds nothing. */
  default <V> V getOrDefault(TypedKey<V> key, V ifAbsent) {
    V value = get(key);
    return value == null ? ifAbsent : value;
  }

  /**
   * Reads several keys in parallel, waiting for all.
   *
   * @param keys at least one; repetitions are allowed
   * @return one value for each key in the order of {@code keys}, null for one that holds nothing
   * @throws IllegalArgumentException when there are no keys
   */
  <V> List<@Nullable V> getAll(List<? extends TypedKey<? extends V>> keys);

  /**
   * Reads what follows each other in a range, waiting for it: keys that hold something, in their
   * order, up to a limit; see {@link Transaction#scan}.
   *
   * @param limit how many entries at most, from 1 to {@link
   *     org.mortydb.protocol.model.Limits#MAX_SCAN_ROWS}
   * @return the entries; fewer than {@code limit} when there are no more in the range
   * @throws IllegalArgumentException when the limit is out of bounds
   * @throws LimitExceededException when the transaction has more scans than {@link
   *     org.mortydb.protocol.model.Limits#MAX_SCANS}, or too many operations
   * @throws UnsupportedOperationException when the cluster's system has no scans
   */
  <K, V> List<Entry<K, V>> scan(TypedRange<K, V> range, int limit);

  /**
   * Begins to read a key. Reads that are begun before the first one is waited for go out together.
   */
  <V> PendingRead<V> getAsync(TypedKey<V> key);

  /**
   * Writes a key. Other transactions may see the value, marked as uncommitted, from the next wait
   * on.
   *
   * @throws LimitExceededException when the value or all that was written is too large
   */
  <V> void put(TypedKey<V> key, V value);

  /** Deletes a key: reads find nothing there. */
  void delete(TypedKey<?> key);

  /**
   * Aborts the transaction and unwinds the body; does not return.
   *
   * @return nothing, for use in {@code throw txn.abort()}
   */
  Error abort();

  /**
   * A read that was begun.
   *
   * @param <V> the value's type
   */
  interface PendingRead<V> {
    /** The value, null when the key holds nothing; waits for it when it is not there yet. */
    @Nullable V await();
  }
}
