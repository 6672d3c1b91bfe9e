package org.mortydb.protocol.system;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.Coordinator;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
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
  public static final Morty SYSTEM =
      new Morty(NAME, UnaryOperator.identity(), UnaryOperator.identity());

  private final String name;
  private final UnaryOperator<CoordinatorOptions> coordinatorOptions;
  private final UnaryOperator<ReplicaOptions> replicaOptions;
  private final CoordinatorRules coordinatorRules;
  private final ReplicaRules replicaRules;

  /**
   * A variant with the rules of Morty.
   *
   * @param coordinatorOptions derives the variant's options of coordinators from given ones
   * @param replicaOptions derives the variant's options of replicas from given ones
   */
  protected Morty(
      String name,
      UnaryOperator<CoordinatorOptions> coordinatorOptions,
      UnaryOperator<ReplicaOptions> replicaOptions) {
    this(name, coordinatorOptions, replicaOptions, CoordinatorRules.SOUND, ReplicaRules.SOUND);
  }

  private Morty(
      String name,
      UnaryOperator<CoordinatorOptions> coordinatorOptions,
      UnaryOperator<ReplicaOptions> replicaOptions,
      CoordinatorRules coordinatorRules,
      ReplicaRules replicaRules) {
    this.name = name;
    this.coordinatorOptions = coordinatorOptions;
    this.replicaOptions = replicaOptions;
    this.coordinatorRules = coordinatorRules;
    this.replicaRules = replicaRules;
  }

  /** Morty with rules that may be broken, for tests of the checkers. */
  public static Morty withRules(ReplicaRules replicaRules, CoordinatorRules coordinatorRules) {
    return new Morty(
        NAME, UnaryOperator.identity(), UnaryOperator.identity(), coordinatorRules, replicaRules);
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final CoordinatorMachine coordinator(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
    Coordinator coordinator =
        new Coordinator(attempt, topology, coordinatorOptions.apply(options), coordinatorRules);
    return coordinatorRules.hosted(coordinator, topology);
  }

  /**
   * A replica of a partition that a change of the map adds.
   *
   * @param maps the maps of the cluster that are known
   * @param proposed the map that has the partition
   */
  public Replica replica(
      ReplicaId self, MapHistory maps, ClusterMap proposed, ReplicaOptions options) {
    return new Replica(self, maps, proposed, replicaOptions.apply(options), replicaRules);
  }

  @Override
  public final StateMachine<Effects> replica(
      ReplicaId self, Topology topology, ReplicaOptions options) {
    return new Replica(self, topology, replicaOptions.apply(options), replicaRules);
  }

  @Override
  public final boolean merges() {
    return true;
  }

  @Override
  public final boolean scans() {
    return true;
  }

  @Override
  public final boolean readsPast() {
    return true;
  }

  @Override
  public boolean usesRegionSlots() {
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
