package org.mortydb.baselines.tapir;

import org.mortydb.protocol.model.TxnId;

/**
 * Places in the serial order, which a client chooses when its transaction asks to commit, and again
 * when replicas ask for a later one. They have the form of transaction ids, so that versions and
 * histories carry them: the time, and in the place of the client a number that is different for all
 * attempts of a client, because two of them may propose the same time.
 */
final class CommitStamp {
  private CommitStamp() {}

  /**
   * The stamp of an attempt.
   *
   * @param timeMicros the proposed time, positive
   */
  static TxnId of(TxnId txn, long timeMicros) {
    return new TxnId(timeMicros, number(txn), txn.home());
  }

  /**
   * A number for each attempt: one to one for those of one client, and as unlikely as a client's id
   * to be that of another one's. Replicas do not rely on it: equal stamps count as a conflict.
   */
  private static long number(TxnId txn) {
    long mixed = txn.timeMicros() ^ Long.rotateLeft(txn.clientId() * 0x9E3779B97F4A7C15L, 31);
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  /** The latest stamp of a time. */
  static TxnId endOf(long timeMicros) {
    return new TxnId(timeMicros, Long.MAX_VALUE, 0);
  }
}
