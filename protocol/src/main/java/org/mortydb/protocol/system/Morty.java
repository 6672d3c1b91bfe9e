package org.mortydb.protocol.system;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.Coordinator;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;

/**
 * Morty: multiversion timestamp ordering with re-execution. Subclasses are variants, which lack a
 * part of Morty so that measurements can show what the part is worth.
 */
public class Morty implements TransactionSystem {
  /** The name of Morty itself. */
  public static final String NAME = "morty";

  /** Morty itself. */
  public static final Morty SYSTEM = new Morty(NAME);

  private final String name;
  private final ReplicaRules replicaRules;
  private final CoordinatorRules coordinatorRules;

  /** A system with the rules of Morty. */
  protected Morty(String name) {
    this(name, ReplicaRules.SOUND, CoordinatorRules.SOUND);
  }

  private Morty(String name, ReplicaRules replicaRules, CoordinatorRules coordinatorRules) {
    this.name = name;
    this.replicaRules = replicaRules;
    this.coordinatorRules = coordinatorRules;
  }

  /** Morty with rules that may be broken, for tests of the checkers. */
  public static Morty withRules(ReplicaRules replicaRules, CoordinatorRules coordinatorRules) {
    return new Morty(NAME, replicaRules, coordinatorRules);
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final CoordinatorMachine coordinator(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
    Coordinator coordinator =
        new Coordinator(
            attempt.timeMicros(), attempt.clientId(), topology, adapted(options), coordinatorRules);
    return coordinatorRules.hosted(coordinator, topology);
  }

  /** The options of the coordinators of a variant. */
  protected CoordinatorOptions adapted(CoordinatorOptions options) {
    return options;
  }

  @Override
  public final StateMachine<Effects> replica(
      ReplicaId self, Topology topology, ReplicaOptions options) {
    return new Replica(self, topology, adapted(options), replicaRules);
  }

  /** The options of the replicas of a variant. */
  protected ReplicaOptions adapted(ReplicaOptions options) {
    return options;
  }

  @Override
  public final boolean scans() {
    return true;
  }

  @Override
  public final boolean isDurable() {
    return true;
  }

  @Override
  public Backoff backoff(long roundTripMicros) {
    return Backoff.eager(roundTripMicros);
  }

  @Override
  public @Nullable String calibratedLike() {
    return name.equals(NAME) ? null : NAME;
  }

  @Override
  public final String toString() {
    return name;
  }
}
