package org.mortydb.baselines.systems;

import org.mortydb.baselines.occ.Optimistic;
import org.mortydb.baselines.twophase.TwoPhaseClient.ReadPolicy;
import org.mortydb.protocol.system.Backoff;

/** Optimistic concurrency control and two-phase commit over replicated logs. */
public final class Occ extends LeaderSystem {
  private static final int CODEC = 3;

  /** The system {@code occ}. */
  public Occ() {
    super("occ", ReadPolicy.OPTIMISTIC, Optimistic.FACTORY, CODEC);
  }

  /** Leaders detect conflicts early, so an abort costs little. */
  @Override
  public Backoff backoff(long roundTripMicros) {
    return Backoff.eager(roundTripMicros);
  }

  /** Validation lets sums commute. */
  @Override
  public boolean merges() {
    return true;
  }
}
