package org.mortydb.client;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A running transaction in the direct style: reads block the calling thread and return values.
 *
 * <p>When a read becomes stale, the body runs again from its start. The client answers all reads
 * before the stale one from memory, so only the work that depends on the stale value costs
 * messages. An internal {@link Error} unwinds the body that is running, out of its next call here
 * or out of the call in which it waits. Hence a body:
 *
 * <ul>
 *   <li>has no outside effects;
 *   <li>lets {@code Error}s pass: a {@code catch (Throwable)} rethrows them;
 *   <li>depends on nothing but the values that it reads here. A body that depends on time or on
 *       randomness is still executed correctly, but costs a further attempt.
 * </ul>
 *
 * <p>A value that is read may be uncommitted, as in {@link Transaction}. Only the thread that runs
 * the body calls these methods, and only while it runs the body; else they throw {@link
 * IllegalStateException}.
 */
public interface DirectTransaction {

  /**
   * The number of this attempt, from 1. It is the same when the body runs again within an attempt,
   * so values that contain it differ between attempts alone.
   */
  int attempt();

  /**
   * Reads a key, and waits for the value.
   *
   * @return the value, null when the key holds nothing
   * @throws LimitExceededException when the transaction has too many operations
   */
  <V> @Nullable V get(TypedKey<V> key);

  /** Reads a key, and waits for the value; returns {@code ifAbsent} when the key holds nothing. */
  default <V> V getOrDefault(TypedKey<V> key, V ifAbsent) {
    V value = get(key);
    return value == null ? ifAbsent : value;
  }

  /**
   * Reads several keys in parallel, and waits for all values.
   *
   * @param keys at least one; repetitions are allowed
   * @return one value for each key in the order of {@code keys}, null for one that holds nothing
   * @throws IllegalArgumentException when there are no keys
   */
  <V> List<@Nullable V> getAll(List<? extends TypedKey<? extends V>> keys);

  /**
   * Reads the keys of a range that hold something, in their order, up to a limit, and waits for
   * them; see {@link Transaction#scan}.
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
   * Begins to read a key. Reads that begin before the body waits for the first of them go out
   * together.
   */
  <V> PendingRead<V> getAsync(TypedKey<V> key);

  /**
   * Writes a key. Other transactions may see the value, marked as uncommitted, from the body's next
   * wait on.
   *
   * @throws LimitExceededException when the value, or the transaction's write set, is too large
   * @throws IllegalStateException when the transaction is declared read-only
   */
  <V> void put(TypedKey<V> key, V value);

  /**
   * Deletes a key: reads find nothing there.
   *
   * @throws LimitExceededException when the transaction has too many operations
   * @throws IllegalStateException when the transaction is declared read-only
   */
  void delete(TypedKey<?> key);

  /**
   * Adds to a number without reading it; a key that holds nothing counts as 0. Transactions that
   * add to one key do not conflict with each other. A sum beyond 64 bits, or a value that is no
   * number, aborts the transaction; or, if that was not known in time, fails all reads of the key
   * until it is put or deleted, with {@link MalformedValueException}.
   *
   * <p>On systems without merges, this reads the key and puts it; so it does after a read of the
   * key by this transaction.
   *
   * @param key a key with the codec {@link Codecs#INT64}
   * @throws IllegalArgumentException when the key has another codec
   * @throws ArithmeticException when this transaction has read the key, and the sum is beyond 64
   *     bits
   * @throws LimitExceededException when the transaction's merges together are longer than a value
   * @throws IllegalStateException when the transaction is declared read-only
   */
  default void add(TypedKey<Long> key, long n) {
    put(key, Math.addExact(getOrDefault(key, 0L), TypedKey.operand(key, n)));
  }

  /**
   * Raises a number to {@code n} if it is lower, without reading it; a key that holds nothing takes
   * {@code n}. Otherwise as {@link #add}.
   *
   * @param key a key with the codec {@link Codecs#INT64}
   * @throws IllegalArgumentException when the key has another codec
   * @throws IllegalStateException when the transaction is declared read-only
   */
  default void max(TypedKey<Long> key, long n) {
    put(key, Math.max(getOrDefault(key, n), TypedKey.operand(key, n)));
  }

  /**
   * Writes a key if it holds nothing, without reading it. It does not tell whether it did: who
   * needs to know that reads the key first. Does not conflict with other writes of the key.
   *
   * @throws LimitExceededException when the value, or the transaction's write set, is too large
   * @throws IllegalStateException when the transaction is declared read-only
   */
  default <V> void putIfAbsent(TypedKey<V> key, V value) {
    if (get(key) == null) {
      put(key, value);
    }
  }

  /**
   * Appends an item to a list without reading it; a key that holds nothing counts as an empty list.
   * Transactions that append to one key do not conflict with each other: the order of the items is
   * that of the transactions.
   *
   * <p>The list keeps its last {@code atMost} items, and drops those before. The bound belongs to
   * this call alone: a list that others have made longer is shortened by it. A value that is no
   * list aborts the transaction, as {@link #add} describes.
   *
   * <p>On systems without merges, this reads the key and puts it.
   *
   * @param key a key with a codec of {@link Codecs#listOf}
   * @param atMost from 1 to {@link org.mortydb.protocol.model.Limits#MAX_LIST_ITEMS}
   * @throws IllegalArgumentException when the key has another codec, or {@code atMost} is out of
   *     bounds
   * @throws LimitExceededException when a list of {@code atMost} such items is longer than a value,
   *     or the transaction's write set is too large
   * @throws IllegalStateException when the transaction is declared read-only
   */
  default <T> void append(TypedKey<List<T>> key, T item, int atMost) {
    var unused = TypedKey.append(key, item, atMost); // checks its bounds
    List<T> before = getOrDefault(key, List.of());
    ArrayList<T> after = new ArrayList<>(before);
    after.add(item);
    put(key, after.subList(Math.max(0, after.size() - atMost), after.size()));
  }

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
    /** Waits for the value if necessary, and returns it; null when the key holds nothing. */
    @Nullable V await();
  }
}
