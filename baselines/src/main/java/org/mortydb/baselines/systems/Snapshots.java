package org.mortydb.baselines.systems;

import org.mortydb.baselines.snapshot.SnapshotIsolation;
import org.mortydb.baselines.snapshot.SnapshotIsolation.Level;
import org.mortydb.baselines.snapshot.SnapshotIsolation.OnConflict;
import org.mortydb.baselines.twophase.TwoPhaseClient.ReadPolicy;
import org.mortydb.protocol.system.Backoff;
import org.mortydb.protocol.system.Guarantee;

/** Snapshot isolation and serializable snapshot isolation, over leaders and replicated logs. */
public final class Snapshots {
  private Snapshots() {}

  /** What the systems have in common. */
  private abstract static class SnapshotSystem extends LeaderSystem {
    private final Guarantee guarantee;

    SnapshotSystem(String name, Level level, OnConflict onConflict, int codecNumber) {
      super(
          name,
          level == Level.SNAPSHOT ? ReadPolicy.SNAPSHOT : ReadPolicy.CHECKED_SNAPSHOT,
          onConflict == OnConflict.FAIL,
          SnapshotIsolation.factory(level, onConflict),
          codecNumber);
      guarantee = level == Level.SNAPSHOT ? Guarantee.SNAPSHOT_ISOLATION : Guarantee.SERIALIZABLE;
    }

    @Override
    public final Guarantee guarantee() {
      return guarantee;
    }

    /** Leaders, followers and clients exchange the messages of {@code occ}. */
    @Override
    public final String calibratedLike() {
      return "occ";
    }

    /** Leaders detect conflicts early, but a retry of a hot key mostly meets the next writer. */
    @Override
    public final Backoff backoff(long roundTripMicros) {
      return Backoff.steady(roundTripMicros);
    }
  }

  /** Snapshot isolation in which an update that conflicts fails at once. */
  public static final class Si extends SnapshotSystem {
    /** The system {@code si}. */
    public Si() {
      super("si", Level.SNAPSHOT, OnConflict.FAIL, 4);
    }
  }

  /** Snapshot isolation in which an update that conflicts waits. */
  public static final class SiWait extends SnapshotSystem {
    /** The system {@code si-wait}. */
    public SiWait() {
      super("si-wait", Level.SNAPSHOT, OnConflict.WAIT, 5);
    }
  }

  /** Serializable snapshot isolation in which an update that conflicts fails at once. */
  public static final class Ssi extends SnapshotSystem {
    /** The system {@code ssi}. */
    public Ssi() {
      super("ssi", Level.SERIALIZABLE, OnConflict.FAIL, 6);
    }
  }

  /** Serializable snapshot isolation in which an update that conflicts waits. */
  public static final class SsiWait extends SnapshotSystem {
    /** The system {@code ssi-wait}. */
    public SsiWait() {
      super("ssi-wait", Level.SERIALIZABLE, OnConflict.WAIT, 7);
    }
  }
}
