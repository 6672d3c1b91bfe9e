package org.mortydb.baselines.systems;

import org.mortydb.baselines.spanner.Locking;
import org.mortydb.baselines.twophase.TwoPhaseClient.ReadPolicy;

/** Two-phase locking and two-phase commit over replicated logs, like Spanner. */
public final class Spanner extends LeaderSystem {
  private static final int CODEC = 2;

  /** The system {@code spanner}. */
  public Spanner() {
    super("spanner", ReadPolicy.LOCKED, Locking.FACTORY, CODEC);
  }

  /** Sums take increment locks, which do not conflict with each other. */
  @Override
  public boolean merges() {
    return true;
  }
}
