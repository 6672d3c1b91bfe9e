package org.mortydb.baselines.twophase;

import java.util.function.Predicate;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;

/**
 * How a leader keeps transactions apart: what they must be granted before they read and before they
 * prepare. It answers through {@link Grants}, at once or later.
 */
public interface ConcurrencyControl {

  /** Makes the concurrency control of a leader, and says what followers have to know of it. */
  interface Factory {

    /** Whether any replica may answer the reads of transactions that write. */
    boolean readsAnywhere();

    /** Whether there are snapshots, for which older versions are kept. */
    boolean hasSnapshots();

    /**
     * A concurrency control for a leader.
     *
     * @param versions what is committed
     */
    ConcurrencyControl create(Grants grants, Versions versions, BaselineRules rules);
  }

  /** What becomes of the transactions that wait. */
  interface Grants {

    /** The transaction may read the key now. Changes nothing if it has not asked to. */
    void readGranted(Participation transaction, Key key);

    /** The transaction may prepare now. */
    void prepareGranted(Participation transaction);

    /** The transaction must give way, and can: nothing of it is prepared. Releases it. */
    void abort(Participation transaction);

    /** The transaction is prepared, and should give way to an older one if it waits elsewhere. */
    void askToGiveWay(Participation transaction);
  }

  /** A transaction wants to read a key; asked again for the same key it must not wait twice. */
  void read(long nowMicros, Participation transaction, Key key);

  /** A transaction wants to prepare. */
  void prepare(long nowMicros, Participation transaction);

  /** A transaction has ended, or gives up what it waits for. */
  void release(Participation transaction);

  /**
   * Looks after those that wait.
   *
   * @param patienceMicros after which what may have been lost is said again
   */
  void tick(long nowMicros, long patienceMicros);

  /**
   * Checks that nothing is held for a transaction that is over, and that what is held together does
   * not conflict.
   *
   * @param isOpen whether a transaction has no outcome here
   * @throws IllegalStateException when it is not so
   */
  void checkInvariants(Predicate<TxnId> isOpen);
}
