package org.mortydb.baselines.tapir;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.model.ReplicaId;

/** An outcome that is told to every replica that has to know it, until all have it. */
final class Telling {
  /** How often it is told again; with the doubling, some minutes by default. */
  private static final int MAX_REPETITIONS = 40;

  private static final int MAX_DOUBLINGS = 3;

  private final TapirMessage outcome;
  private final BitSet partitions;
  private final int replicas;
  private final long resendMicros;
  private final Map<Integer, BitSet> known = HashMap.newHashMap(1);
  private int repetitions;

  /**
   * @param partitions those that have heard of the transaction
   * @param replicas of each
   * @param resendMicros how long to wait before it is told again the first time
   */
  Telling(TapirMessage outcome, BitSet partitions, int replicas, long resendMicros) {
    this.outcome = outcome;
    this.partitions = partitions;
    this.replicas = replicas;
    this.resendMicros = resendMicros;
    for (int p = partitions.nextSetBit(0); p >= 0; p = partitions.nextSetBit(p + 1)) {
      known.put(p, new BitSet());
    }
  }

  /** Tells all; to be called once. */
  void begin(CoordinatorEffects out) {
    for (int p = partitions.nextSetBit(0); p >= 0; p = partitions.nextSetBit(p + 1)) {
      out.broadcast(p, outcome);
    }
    if (!partitions.isEmpty()) {
      out.armTimer(Timer.RESEND, resendMicros);
    }
  }

  /** Tells those again that have not answered. */
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

  /** A replica has it. */
  void known(ReplicaId replica) {
    BitSet at = known.get(replica.partition());
    if (at != null) {
      at.set(replica.index());
    }
  }

  /** Whether all have it, or those that do not are given up. */
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
