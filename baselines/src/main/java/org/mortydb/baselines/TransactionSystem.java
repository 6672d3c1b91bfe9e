package org.mortydb.baselines;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.mortydb.baselines.occ.Optimistic;
import org.mortydb.baselines.spanner.Locking;
import org.mortydb.baselines.tapir.TapirCoordinator;
import org.mortydb.baselines.tapir.TapirReplica;
import org.mortydb.baselines.twophase.BaselineRules;
import org.mortydb.baselines.twophase.GroupReplica;
import org.mortydb.baselines.twophase.TwoPhaseClient;
import org.mortydb.baselines.twophase.TwoPhaseClient.ReadPolicy;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.Coordinator;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;

/** A system that runs transactions: Morty itself, and those that it is compared with. */
public enum TransactionSystem {
  /** Morty: multiversion timestamp ordering with re-execution. */
  MORTY(Family.MORTY),

  /** The same without re-execution: a stale read aborts the transaction. */
  MVTSO(Family.MORTY),

  /** Morty that re-executes a transaction at most once; a second stale read aborts it. */
  MORTY_ONE_REEXECUTION(Family.MORTY),

  /** Morty whose replicas do not tell readers of new versions: they learn of them from votes. */
  MORTY_NO_PUSH(Family.MORTY),

  /** Morty whose writes become visible when they are prepared, not before. */
  MORTY_NO_EAGER_WRITES(Family.MORTY),

  /** Morty whose commits always take the slow path. */
  MORTY_NO_FAST_PATH(Family.MORTY),

  /** Morty whose replicas vote on a transaction only when what it has read is decided there. */
  MORTY_NO_CONDITIONAL_VOTES(Family.MORTY),

  /** Two-phase locking and two-phase commit over replicated logs, in the manner of Spanner. */
  SPANNER(Family.LEADERS),

  /** Optimistic concurrency control and two-phase commit over the same logs. */
  OCC(Family.LEADERS),

  /** Optimistic concurrency control over inconsistent replication. */
  TAPIR(Family.TAPIR);

  /** Systems that share their replicas and coordinators, and so what they keep and promise. */
  private enum Family {
    MORTY,
    LEADERS,
    TAPIR
  }

  private final Family family;

  TransactionSystem(Family family) {
    this.family = family;
  }

  /**
   * The system of that name, in lower case as in configurations.
   *
   * @throws IllegalArgumentException when there is none; lists those that there are
   */
  public static TransactionSystem named(String name) {
    for (TransactionSystem system : values()) {
      if (system.toString().equals(name)) {
        return system;
      }
    }
    throw new IllegalArgumentException(
        "'"
            + name
            + "' is no system: it must be one of "
            + Arrays.stream(values())
                .map(TransactionSystem::toString)
                .collect(Collectors.joining(", ")));
  }

  /** Whether transactions can scan ranges of keys. */
  public boolean scans() {
    return family == Family.MORTY;
  }

  /** The client's half of one attempt at a transaction. */
  public CoordinatorMachine coordinator(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options, CoordinatorRules rules) {
    return switch (this) {
      case MORTY,
          MVTSO,
          MORTY_ONE_REEXECUTION,
          MORTY_NO_PUSH,
          MORTY_NO_EAGER_WRITES,
          MORTY_NO_FAST_PATH,
          MORTY_NO_CONDITIONAL_VOTES ->
          rules.hosted(
              new Coordinator(
                  attempt.timeMicros(), attempt.clientId(), topology, adapted(options), rules),
              topology);
      case SPANNER -> new TwoPhaseClient(attempt, topology, options, ReadPolicy.LOCKED);
      case OCC -> new TwoPhaseClient(attempt, topology, options, ReadPolicy.OPTIMISTIC);
      case TAPIR -> new TapirCoordinator(attempt, topology, options, rules);
    };
  }

  /** What sets the variants of Morty apart in their coordinators. */
  private CoordinatorOptions adapted(CoordinatorOptions options) {
    return switch (this) {
      case MVTSO -> options.withReexecution(ReexecutionPolicy.NEVER);
      case MORTY_ONE_REEXECUTION -> options.withReexecution(ReexecutionPolicy.upTo(1).gathering());
      case MORTY_NO_PUSH -> options.withReexecution(options.reexecution().withoutSettling());
      case MORTY_NO_EAGER_WRITES -> options.withoutEagerWrites();
      case MORTY_NO_FAST_PATH -> options.withoutFastPath();
      case MORTY, MORTY_NO_CONDITIONAL_VOTES, SPANNER, OCC, TAPIR -> options;
    };
  }

  /** A replica that has no memory to restore and nobody to join. */
  public StateMachine<Effects> replica(ReplicaId self, Topology topology, ReplicaOptions options) {
    return replica(self, topology, options, ReplicaRules.SOUND);
  }

  /**
   * The same.
   *
   * @param rules {@link ReplicaRules#SOUND}, except in tests of the checkers
   */
  public StateMachine<Effects> replica(
      ReplicaId self, Topology topology, ReplicaOptions options, ReplicaRules rules) {
    return switch (this) {
      case MORTY, MVTSO, MORTY_ONE_REEXECUTION, MORTY_NO_EAGER_WRITES, MORTY_NO_FAST_PATH ->
          new Replica(self, topology, options, rules);
      case MORTY_NO_PUSH -> new Replica(self, topology, options.withoutPushes(), rules);
      case MORTY_NO_CONDITIONAL_VOTES ->
          new Replica(self, topology, options.withoutVotesOnCondition(), rules);
      case SPANNER ->
          new GroupReplica(self, topology, options, BaselineRules.SOUND, Locking.FACTORY);
      case OCC ->
          new GroupReplica(self, topology, options, BaselineRules.SOUND, Optimistic.FACTORY);
      case TAPIR -> new TapirReplica(self, topology, options, rules);
    };
  }

  /** Whether it is Morty without one of its parts, for measuring what that is worth. */
  public boolean isAblation() {
    return family == Family.MORTY && this != MORTY && this != MVTSO;
  }

  /** Whether it keeps what it promised across crashes, and can replace replicas. */
  public boolean isDurable() {
    return family == Family.MORTY;
  }

  /**
   * Whether each partition is led by one replica, whose log the others follow, so that all of them
   * are alike in the end.
   */
  public boolean hasLeaders() {
    return family == Family.LEADERS;
  }

  /** Its name in configurations and records. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
