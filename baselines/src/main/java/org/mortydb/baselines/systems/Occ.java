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

  /** Leaders detect conflicts early, but a retry of a hot key mostly meets the next writer. */
  @Override
  public Backoff backoff(long roundTripMicros) {
    return Backoff.steady(roundTripMicros);
  }

  /** Validation lets sums commute. */
  @Override
  public boolean merges() {
    return true;
  }
}
