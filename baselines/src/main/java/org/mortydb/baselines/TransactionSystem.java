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
  MORTY,

  /** The same without re-execution: a stale read aborts the transaction. */
  MVTSO,

  /** Two-phase locking and two-phase commit over replicated logs, in the manner of Spanner. */
  SPANNER,

  /** Optimistic concurrency control and two-phase commit over the same logs. */
  OCC,

  /** Optimistic concurrency control over inconsistent replication. */
  TAPIR;

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

  /** The client's half of one attempt at a transaction. */
  public CoordinatorMachine coordinator(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options, CoordinatorRules rules) {
    return switch (this) {
      case MORTY ->
          new Coordinator(attempt.timeMicros(), attempt.clientId(), topology, options, rules);
      case MVTSO ->
          new Coordinator(
              attempt.timeMicros(),
              attempt.clientId(),
              topology,
              options.withReexecution(ReexecutionPolicy.NEVER),
              rules);
      case SPANNER -> new TwoPhaseClient(attempt, topology, options, ReadPolicy.LOCKED);
      case OCC -> new TwoPhaseClient(attempt, topology, options, ReadPolicy.OPTIMISTIC);
      case TAPIR -> new TapirCoordinator(attempt, topology, options, rules);
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
      case MORTY, MVTSO -> new Replica(self, topology, options, rules);
      case SPANNER ->
          new GroupReplica(self, topology, options, BaselineRules.SOUND, Locking.FACTORY);
      case OCC ->
          new GroupReplica(self, topology, options, BaselineRules.SOUND, Optimistic.FACTORY);
      case TAPIR -> new TapirReplica(self, topology, options, rules);
    };
  }

  /** Whether it keeps what it promised across crashes, and can replace replicas. */
  public boolean isDurable() {
    return switch (this) {
      case MORTY, MVTSO -> true;
      case SPANNER, OCC, TAPIR -> false;
    };
  }

  /**
   * Whether each partition is led by one replica, whose log the others follow, so that all of them
   * are alike in the end.
   */
  public boolean hasLeaders() {
    return switch (this) {
      case SPANNER, OCC -> true;
      case MORTY, MVTSO, TAPIR -> false;
    };
  }

  /**
   * Whether committed transactions are serializable in the order of their {@linkplain
   * org.mortydb.protocol.machine.Completion.Committed#position positions}, each reading what the
   * last one before it wrote. Where it is not so, checkers must not rely on positions.
   */
  public boolean isSerialByPosition() {
    return switch (this) {
      case MORTY, MVTSO, SPANNER, OCC, TAPIR -> true;
    };
  }

  /** Its name in configurations and records. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
