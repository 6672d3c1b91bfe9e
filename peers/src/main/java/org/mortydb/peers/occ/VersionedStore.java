package org.mortydb.peers.occ;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/**
 * A store of versioned keys that can check versions and write in one atomic step: all that
 * optimistic transactions need. Safe for use by several threads. Futures that fail with anything
 * but {@link UnusableException} mean that nothing has happened, and that it can be tried again.
 */
public interface VersionedStore extends AutoCloseable {

  /** Asked for the newest values, whatever their moment. */
  long NEWEST = 0;

  /**
   * What keys hold at one moment.
   *
   * @param found as many as keys were asked for, in their order
   * @param moment the moment, not {@link #NEWEST}; equal only for reads of one moment
   */
  record Found(List<Versioned> found, long moment) {}

  /** What became of a commit. */
  sealed interface Answer {
    /**
     * The versions were right, and everything is written.
     *
     * @param position unique; its place in an order in which all committed transactions are serial,
     *     or else a name for {@link VersionedStore} itself to find that order later
     */
    record Committed(TxnId position) implements Answer {}

    /**
     * A version was not right, and nothing is written.
     *
     * @param current what the keys that were read hold now, all at one moment
     * @param moment that moment
     */
    record Conflict(Map<Key, Versioned> current, long moment) implements Answer {}

    /**
     * It may have been written or not: no answer came.
     *
     * @param name unique
     */
    record Unknown(TxnId name) implements Answer {}
  }

  /**
   * Reads keys.
   *
   * @param keys at least one, all different
   * @param moment of an earlier read, where the store should read as of, if it can; {@link #NEWEST}
   *     for what is newest
   */
  CompletableFuture<Found> read(List<Key> keys, long moment);

  /**
   * Writes if all versions that were read are those that the keys still have.
   *
   * @param reads what was read; may be empty if something is to be written
   * @param writes what to write, {@link Value#ABSENT} to delete; may be empty if something was read
   */
  CompletableFuture<Answer> commit(Map<Key, Versioned> reads, Map<Key, Value> writes);

  /**
   * Commits a transaction that has written nothing and read everything at one moment: it is serial
   * at that moment, so the store need not be asked.
   *
   * @return its position, as in {@link Answer.Committed}
   */
  TxnId readAt(long moment, Map<Key, Versioned> reads);

  /** A unique name for a transaction that has not committed. */
  TxnId newName();

  /** Ends the connections. */
  @Override
  void close();
}
