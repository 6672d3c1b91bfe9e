package org.mortydb.baselines.systems;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.coordinator.ShownWrites;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Backoff;
import org.mortydb.protocol.system.Morty;

/** Variants of Morty, each without one of its parts, to measure the benefit of that part. */
public final class MortyVariants {
  private MortyVariants() {}

  /** Morty without re-execution: a stale read aborts the transaction. */
  public static final class Mvtso extends Morty {
    /** The variant {@code mvtso}. */
    public Mvtso() {
      super(
          "mvtso",
          options -> options.withReexecution(ReexecutionPolicy.NEVER).withoutForwarding(),
          UnaryOperator.identity());
    }

    @Override
    public Backoff backoff(long roundTripMicros) {
      return Backoff.patient(roundTripMicros);
    }

    /** It stands for the published system, which takes timestamps from the clock. */
    @Override
    public boolean usesRegionSlots() {
      return false;
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
      super(
          "morty-one-reexecution",
          options -> options.withReexecution(ReexecutionPolicy.upTo(1).gathering()),
          UnaryOperator.identity());
    }

    @Override
    public Backoff backoff(long roundTripMicros) {
      return Backoff.patient(roundTripMicros);
    }
  }

  /** Morty without pushes: readers learn of newer versions only from votes. */
  public static final class NoPush extends Morty {
    /** The variant {@code morty-no-push}. */
    public NoPush() {
      super(
          "morty-no-push",
          options ->
              options.withReexecution(options.reexecution().withoutSettling()).withoutForwarding(),
          ReplicaOptions::withoutPushes);
    }
  }

  /** Morty whose writes become visible only when they are prepared. */
  public static final class NoEagerWrites extends Morty {
    /** The variant {@code morty-no-eager-writes}. */
    public NoEagerWrites() {
      super(
          "morty-no-eager-writes",
          options -> options.withShownWrites(ShownWrites.NONE),
          UnaryOperator.identity());
    }
  }

  /** Morty that shows all writes while a transaction executes, as in the paper. */
  public static final class EagerWrites extends Morty {
    /** The variant {@code morty-eager-writes}. */
    public EagerWrites() {
      super(
          "morty-eager-writes",
          options -> options.withShownWrites(ShownWrites.ALL),
          UnaryOperator.identity());
    }
  }

  /** Morty whose transactions learn only from replicas what others of their client write. */
  public static final class NoForwarding extends Morty {
    /** The variant {@code morty-no-forwarding}. */
    public NoForwarding() {
      super("morty-no-forwarding", CoordinatorOptions::withoutForwarding, UnaryOperator.identity());
    }
  }

  /** Morty with the slow path for every commit. */
  public static final class NoFastPath extends Morty {
    /** The variant {@code morty-no-fast-path}. */
    public NoFastPath() {
      super("morty-no-fast-path", CoordinatorOptions::withoutFastPath, UnaryOperator.identity());
    }
  }

  /** Morty that decides read-only transactions like all others. So they need the right to write. */
  public static final class DecidedReads extends Morty {
    /** The variant {@code morty-decided-reads}. */
    public DecidedReads() {
      super("morty-decided-reads", CoordinatorOptions::withDecidedReads, UnaryOperator.identity());
    }
  }

  /** Morty without conditional votes: a replica votes only after all reads are decided. */
  public static final class NoConditionalVotes extends Morty {
    /** The variant {@code morty-no-conditional-votes}. */
    public NoConditionalVotes() {
      super(
          "morty-no-conditional-votes",
          UnaryOperator.identity(),
          ReplicaOptions::withoutVotesOnCondition);
    }
  }
}
