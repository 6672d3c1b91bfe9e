package org.mortydb.baselines.tapir;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.tapir.PrepareTally.Standing;
import org.mortydb.protocol.model.TxnId;

/** One stamp that was proposed to all participants, and what they have said to it. */
final class Proposal {

  /** What the participants' results amount to. */
  enum Verdict {
    /** More results or confirmations are needed. */
    OPEN,
    /** Every participant holds the transaction prepared: it commits. */
    PREPARED,
    /** Some participant asks for a later stamp. */
    RETRY,
    /** Some participant cannot prepare it. */
    ABORT
  }

  final TxnId stamp;
  final long proposedMicros;
  private final BitSet participants;
  private final Map<Integer, PrepareTally> tallies = HashMap.newHashMap(1);
  private final BitSet finalizing = new BitSet();

  /**
   * @param participants the partitions that are asked
   * @param proposedMicros when
   * @param f failures tolerated
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

  /** The results of a partition, null if it is no participant. */
  @Nullable PrepareTally tally(int partition) {
    return tallies.get(partition);
  }

  /** Notes that a participant's result is decided by a majority; false if it was noted before. */
  boolean finish(int partition) {
    boolean first = !finalizing.get(partition);
    finalizing.set(partition);
    return first;
  }

  /** Whether a participant's replicas are asked to confirm. */
  boolean isFinalizing(int partition) {
    return finalizing.get(partition);
  }

  /** Whether every participant was prepared by a fast quorum, if all are prepared. */
  boolean isFast() {
    return finalizing.isEmpty();
  }

  /**
   * What the results amount to.
   *
   * @param late whether those that have not arrived are not waited for any more
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

  /** Whether a participant is prepared as soon as a majority has confirmed it. */
  boolean needsConfirmation(int partition, boolean late) {
    PrepareTally tally = tallies.get(partition);
    return tally != null && !tally.isPrepared() && tally.standing(late) == Standing.SLOW_OK;
  }

  /** Whether enough results have arrived of every participant to decide without the others. */
  boolean hasMajorities() {
    for (int p = participants.nextSetBit(0); p >= 0; p = participants.nextSetBit(p + 1)) {
      PrepareTally tally = tallies.get(p);
      if (tally != null && !tally.hasMajority()) {
        return false;
      }
    }
    return true;
  }

  /** The latest time that any replica has asked to come after, 0 if none has. */
  long retryMicros() {
    long latest = 0;
    for (int p = participants.nextSetBit(0); p >= 0; p = participants.nextSetBit(p + 1)) {
      PrepareTally tally = tallies.get(p);
      latest = tally == null ? latest : Math.max(latest, tally.retryMicros());
    }
    return latest;
  }
}
