package org.mortydb.baselines.tapir;

import java.util.BitSet;
import org.mortydb.baselines.tapir.PrepareResult.Retry;

/**
 * The results of one consensus operation: the replicas of one partition validate a transaction at
 * one stamp.
 */
final class PrepareTally {

  /** The result of the operation, as far as the arrived results determine it. */
  enum Standing {
    /** More results are needed. */
    OPEN,
    /** A fast quorum agrees that the transaction is prepared. */
    FAST_OK,
    /** The transaction is prepared once f+1 replicas have confirmed it. */
    SLOW_OK,
    /** The transaction must propose a later stamp. */
    RETRY,
    /** The transaction must not be prepared. */
    ABORT
  }

  private final int replicas;
  private final int slowQuorum;
  private final int fastQuorum;
  private final BitSet answered = new BitSet();
  private final BitSet confirmed = new BitSet();
  private int ok;
  private int abstained;
  private boolean aborted;
  private long retryMicros;

  /**
   * @param f the number of tolerated failures
   * @param slowQuorum f+1, except in tests of the checkers
   */
  PrepareTally(int f, int slowQuorum) {
    this.replicas = 2 * f + 1;
    this.slowQuorum = slowQuorum;
    this.fastQuorum = fastQuorum(f);
  }

  /** The number of matching results that need no confirmation: ⌈3f/2⌉ + 1. */
  static int fastQuorum(int f) {
    return (3 * f + 1) / 2 + 1;
  }

  /** Counts a replica's result; returns false if the replica has already answered. */
  boolean record(int replica, PrepareResult result) {
    if (answered.get(replica)) {
      return false;
    }
    answered.set(replica);
    switch (result) {
      case PrepareResult.Ok _ -> ok++;
      case PrepareResult.Abort _ -> aborted = true;
      case PrepareResult.Abstain _ -> abstained++;
      case Retry(long timeMicros) -> retryMicros = Math.max(retryMicros, timeMicros);
    }
    return true;
  }

  boolean hasAnswered(int replica) {
    return answered.get(replica);
  }

  /** Counts a replica that has confirmed that the transaction is prepared. */
  void confirm(int replica) {
    confirmed.set(replica);
  }

  boolean hasConfirmed(int replica) {
    return confirmed.get(replica);
  }

  /** The latest time that a replica asks the stamp to be after; 0 if there is none. */
  long retryMicros() {
    return retryMicros;
  }

  /** Whether enough results have arrived for a decision without the others. */
  boolean hasMajority() {
    return answered.cardinality() >= slowQuorum;
  }

  /** Whether the transaction is prepared at the partition for good. */
  boolean isPrepared() {
    return ok >= fastQuorum || confirmed.cardinality() >= slowQuorum;
  }

  /**
   * The result of the operation so far.
   *
   * @param late whether missing results are no longer awaited
   */
  Standing standing(boolean late) {
    int missing = replicas - answered.cardinality();
    if (aborted) {
      return Standing.ABORT;
    }
    if (ok >= fastQuorum) {
      return Standing.FAST_OK;
    }
    if (ok >= slowQuorum) {
      return late || ok + missing < fastQuorum ? Standing.SLOW_OK : Standing.OPEN;
    }
    if (ok + missing >= slowQuorum && !(late && hasMajority())) {
      return Standing.OPEN;
    }
    return retryMicros > 0 && abstained < slowQuorum ? Standing.RETRY : Standing.ABORT;
  }
}
