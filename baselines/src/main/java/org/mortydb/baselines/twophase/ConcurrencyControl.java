package org.mortydb.baselines.twophase;

import java.util.function.Predicate;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;

/**
 * A leader's concurrency control. It grants transactions the right to read and to prepare, through
 * {@link Grants}, at once or later.
 */
public interface ConcurrencyControl {

  /** Creates the concurrency control of a leader, and describes what followers must support. */
  interface Factory {

    /** Whether any replica may answer the reads of transactions that write. */
    boolean readsAnywhere();

    /** Whether there are snapshots, which need older versions. */
    boolean hasSnapshots();

    /**
     * Creates the concurrency control of a leader.
     *
     * @param versions the committed versions
     */
    ConcurrencyControl create(Grants grants, Versions versions, BaselineRules rules);
  }

  /** Receives the decisions about waiting transactions. */
  interface Grants {

    /** The transaction may read the key now. Ignored if it has not asked to. */
    void readGranted(Participation transaction, Key key);

    /** The transaction may prepare now. */
    void prepareGranted(Participation transaction);

    /** The transaction must give way. It is unprepared, so it can. Releases it. */
    void abort(Participation transaction);

    /** The transaction is prepared, and should give way to an older one if it waits elsewhere. */
    void askToGiveWay(Participation transaction);
  }

  /** A transaction wants to read a key. A repeated request for the same key must not wait twice. */
  void read(long nowMicros, Participation transaction, Key key);

  /**
   * A transaction wants to write a key, and has not asked to prepare yet. A repeated request for
   * the same key changes nothing. By default nothing happens before the transaction prepares.
   */
  default void update(long nowMicros, Participation transaction, Key key) {}

  /** A transaction wants to prepare. */
  void prepare(long nowMicros, Participation transaction);

  /** A transaction has ended. Its writes are visible if it has committed. */
  void release(Participation transaction);

  /**
   * Handles long waits, and forgets what no transaction can ask for any more.
   *
   * @param horizonMicros snapshots at or below it may be refused
   * @param patienceMicros the time after which possibly lost messages are sent again
   */
  void tick(long nowMicros, long patienceMicros, long horizonMicros);

  /**
   * Checks that nothing is held for a transaction that is over, and that no two holders conflict.
   *
   * @param isOpen whether a transaction has no outcome here
   * @throws IllegalStateException when an invariant is broken
   */
  void checkInvariants(Predicate<TxnId> isOpen);
}
