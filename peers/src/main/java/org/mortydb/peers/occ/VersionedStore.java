package org.mortydb.peers.occ;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/**
 * A store of versioned keys that can check versions and write in one atomic step, as optimistic
 * transactions need it. Thread-safe. A future that fails with anything except {@link
 * UnusableException} means that the call had no effect and can be retried.
 */
public interface VersionedStore extends AutoCloseable {

  /** A request for the newest values. */
  long NEWEST = 0;

  /**
   * The values of keys at one point in time.
   *
   * @param found the values in the order of the requested keys
   * @param moment the point in time, not {@link #NEWEST}
   */
  record Found(List<Versioned> found, long moment) {}

  /** The result of a commit. */
  sealed interface Answer {
    /**
     * The versions were unchanged, and all writes have taken effect.
     *
     * @param position its unique serial position, or a unique name from which the peer derives the
     *     order later
     */
    record Committed(TxnId position) implements Answer {}

    /**
     * A version has changed, and no write has taken effect.
     *
     * @param current the current values of the reads, at one point in time
     * @param moment that point in time
     */
    record Conflict(Map<Key, Versioned> current, long moment) implements Answer {}

    /**
     * There was no answer, so the writes may have taken effect.
     *
     * @param name a unique name
     */
    record Unknown(TxnId name) implements Answer {}
  }

  /**
   * Reads keys.
   *
   * @param keys at least one key, all different
   * @param moment the point in time of an earlier read, at which the store reads if it can; {@link
   *     #NEWEST} for the newest values
   */
  CompletableFuture<Found> read(List<Key> keys, long moment);

  /**
   * Writes if the versions of all reads are unchanged. Reads or writes may be empty, but not both.
   *
   * @param reads the reads
   * @param writes the writes; {@link Value#ABSENT} for a deletion
   */
  CompletableFuture<Answer> commit(Map<Key, Versioned> reads, Map<Key, Value> writes);

  /**
   * Commits a read-only transaction with all reads at one point in time, without a request to the
   * store.
   *
   * @return its position, as in {@link Answer.Committed}
   */
  TxnId readAt(long moment, Map<Key, Versioned> reads);

  /** A unique name for a transaction that has not committed. */
  TxnId newName();

  /** Closes the connections. */
  @Override
  void close();
}
