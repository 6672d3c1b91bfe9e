package org.mortydb.baselines.tapir;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.tapir.PrepareTally.Standing;
import org.mortydb.protocol.model.TxnId;

/** One stamp that was proposed to all participants, and their results. */
final class Proposal {

  /** The combined result of the participants. */
  enum Verdict {
    /** More results or confirmations are needed. */
    OPEN,
    /** Every participant is prepared, so the transaction commits. */
    PREPARED,
    /** Some participant asks for a later stamp. */
    RETRY,
    /** Some participant cannot prepare the transaction. */
    ABORT
  }

  final TxnId stamp;
  final long proposedMicros;
  private final BitSet participants;
  private final Map<Integer, PrepareTally> tallies = HashMap.newHashMap(1);
  private final BitSet finalizing = new BitSet();

  /**
   * @param participants the participating partitions
   * @param proposedMicros when the stamp was proposed
   * @param f the number of tolerated failures
   * @param slowQuorum see {@link PrepareTally}
   */
  Proposal(TxnId stamp, BitSet participants, long proposedMicros, int f, int slowQuorum) {
    this.stamp = stamp;
    this.participants = participants;
    this.proposedMicros = proposedMicros;
    for (int p = participants.nextSetBit(0); p >= 0; p = participants.nextSetBit(p + 1)) {
      tallies.put(p, new PrepareTally(f, slowQuorum));
    }
  }

  /** The results of a partition; null if it is no participant. */
  @Nullable PrepareTally tally(int partition) {
    return tallies.get(partition);
  }

  /**
   * Marks a participant's result as decided by a majority; returns false if it was marked before.
   */
  boolean finish(int partition) {
    boolean first = !finalizing.get(partition);
    finalizing.set(partition);
    return first;
  }

  /** Whether a participant's replicas are asked for confirmation. */
  boolean isFinalizing(int partition) {
    return finalizing.get(partition);
  }

  /** Whether every participant was prepared by a fast quorum, given that all are prepared. */
  boolean isFast() {
    return finalizing.isEmpty();
  }

  /**
   * The combined result so far.
   *
   * @param late whether missing results are no longer awaited
   */
  Verdict verdict(boolean late) {
    boolean prepared = true;
    boolean retry = false;
    for (int p = participants.nextSetBit(0); p >= 0; p = participants.nextSetBit(p + 1)) {
      PrepareTally tally = tallies.get(p);
      if (tally == null || tally.isPrepared()) {
        continue;
      }
      prepared = false;
      Standing standing = tally.standing(late);
      if (standing == Standing.ABORT) {
        return Verdict.ABORT;
      }
      retry |= standing == Standing.RETRY;
    }
    return retry ? Verdict.RETRY : prepared ? Verdict.PREPARED : Verdict.OPEN;
  }

  /** Whether a participant is prepared once a majority has confirmed it. */
  boolean needsConfirmation(int partition, boolean late) {
    PrepareTally tally = tallies.get(partition);
    return tally != null && !tally.isPrepared() && tally.standing(late) == Standing.SLOW_OK;
  }

  /** Whether enough results of every participant have arrived for a decision without the others. */
  boolean hasMajorities() {
    for (int p = participants.nextSetBit(0); p >= 0; p = participants.nextSetBit(p + 1)) {
      PrepareTally tally = tallies.get(p);
      if (tally != null && !tally.hasMajority()) {
        return false;
      }
    }
    return true;
  }

  /** The latest time that any replica asks the stamp to be after; 0 if there is none. */
  long retryMicros() {
    long latest = 0;
    for (int p = participants.nextSetBit(0); p >= 0; p = participants.nextSetBit(p + 1)) {
      PrepareTally tally = tallies.get(p);
      latest = tally == null ? latest : Math.max(latest, tally.retryMicros());
    }
    return latest;
  }
}
