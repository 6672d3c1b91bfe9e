package org.mortydb.baselines.systems;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Backoff;
import org.mortydb.protocol.system.Morty;

/** Morty without one of its parts, to measure what the part is worth. */
public final class MortyVariants {
  private MortyVariants() {}

  /** Morty without re-execution: a stale read aborts the transaction. */
  public static final class Mvtso extends Morty {
    /** The variant {@code mvtso}. */
    public Mvtso() {
      super("mvtso");
    }

    @Override
    protected CoordinatorOptions adapted(CoordinatorOptions options) {
      return options.withReexecution(ReexecutionPolicy.NEVER);
    }

    @Override
    public Backoff backoff(long roundTripMicros) {
      return Backoff.patient(roundTripMicros);
    }

    @Override
    public @Nullable String calibratedLike() {
      return null;
    }
  }

  /** Morty that re-executes a transaction at most once: a second stale read aborts it. */
  public static final class OneReexecution extends Morty {
    /** The variant {@code morty-one-reexecution}. */
    public OneReexecution() {
      super("morty-one-reexecution");
    }

    @Override
    protected CoordinatorOptions adapted(CoordinatorOptions options) {
      return options.withReexecution(ReexecutionPolicy.upTo(1).gathering());
    }

    @Override
    public Backoff backoff(long roundTripMicros) {
      return Backoff.patient(roundTripMicros);
    }
  }

  /** Morty without pushes: readers learn of newer versions from votes. */
  public static final class NoPush extends Morty {
    /** The variant {@code morty-no-push}. */
    public NoPush() {
      super("morty-no-push");
    }

    @Override
    protected CoordinatorOptions adapted(CoordinatorOptions options) {
      return options.withReexecution(options.reexecution().withoutSettling());
    }

    @Override
    protected ReplicaOptions adapted(ReplicaOptions options) {
      return options.withoutPushes();
    }
  }

  /** Morty whose writes become visible when they are prepared, not before. */
  public static final class NoEagerWrites extends Morty {
    /** The variant {@code morty-no-eager-writes}. */
    public NoEagerWrites() {
      super("morty-no-eager-writes");
    }

    @Override
    protected CoordinatorOptions adapted(CoordinatorOptions options) {
      return options.withoutEagerWrites();
    }
  }

  /** Morty whose commits always take the slow path. */
  public static final class NoFastPath extends Morty {
    /** The variant {@code morty-no-fast-path}. */
    public NoFastPath() {
      super("morty-no-fast-path");
    }

    @Override
    protected CoordinatorOptions adapted(CoordinatorOptions options) {
      return options.withoutFastPath();
    }
  }

  /** Morty whose replicas vote on a transaction only when what it has read is decided there. */
  public static final class NoConditionalVotes extends Morty {
    /** The variant {@code morty-no-conditional-votes}. */
    public NoConditionalVotes() {
      super("morty-no-conditional-votes");
    }

    @Override
    protected ReplicaOptions adapted(ReplicaOptions options) {
      return options.withoutVotesOnCondition();
    }
  }
}
