package org.mortydb.baselines.tapir;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.model.ReplicaId;

/** Sends an outcome to all replicas that need it, until all have acknowledged it. */
final class Announcement {
  /**
   * The number of repetitions after which the coordinator gives up; some minutes by default, with
   * the doubling.
   */
  private static final int MAX_REPETITIONS = 40;

  private static final int MAX_DOUBLINGS = 3;

  private final TapirMessage outcome;
  private final BitSet partitions;
  private final int replicas;
  private final long resendMicros;
  private final Map<Integer, BitSet> known = HashMap.newHashMap(1);
  private int repetitions;

  /**
   * @param partitions the partitions that know the transaction
   * @param replicas the number of replicas of each
   * @param resendMicros the time before the first repetition
   */
  Announcement(TapirMessage outcome, BitSet partitions, int replicas, long resendMicros) {
    this.outcome = outcome;
    this.partitions = partitions;
    this.replicas = replicas;
    this.resendMicros = resendMicros;
    for (int p = partitions.nextSetBit(0); p >= 0; p = partitions.nextSetBit(p + 1)) {
      known.put(p, new BitSet());
    }
  }

  /** Sends the outcome to all replicas. Called once. */
  void begin(CoordinatorEffects out) {
    for (int p = partitions.nextSetBit(0); p >= 0; p = partitions.nextSetBit(p + 1)) {
      out.broadcast(p, outcome);
    }
    if (!partitions.isEmpty()) {
      out.armTimer(Timer.RESEND, resendMicros);
    }
  }

  /** Sends the outcome again to replicas that have not acknowledged it. */
  void repeat(CoordinatorEffects out) {
    repetitions++;
    for (int p = partitions.nextSetBit(0); p >= 0; p = partitions.nextSetBit(p + 1)) {
      for (int i = 0; i < replicas; i++) {
        if (!knows(p, i)) {
          out.send(new ReplicaId(p, i), outcome);
        }
      }
    }
    out.armTimer(Timer.RESEND, resendMicros << Math.min(repetitions, MAX_DOUBLINGS));
  }

  private boolean knows(int partition, int replica) {
    BitSet at = known.get(partition);
    return at != null && at.get(replica);
  }

  /** A replica has acknowledged the outcome. */
  void known(ReplicaId replica) {
    BitSet at = known.get(replica.partition());
    if (at != null) {
      at.set(replica.index());
    }
  }

  /** Whether all replicas have acknowledged it, or the coordinator has given up. */
  boolean isOver() {
    if (repetitions >= MAX_REPETITIONS) {
      return true;
    }
    for (int p = partitions.nextSetBit(0); p >= 0; p = partitions.nextSetBit(p + 1)) {
      BitSet at = known.get(p);
      if (at != null && at.cardinality() < replicas) {
        return false;
      }
    }
    return true;
  }
}
