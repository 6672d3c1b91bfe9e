package org.mortydb.baselines.systems;

import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.codec.TapirFormats;
import org.mortydb.baselines.tapir.TapirCoordinator;
import org.mortydb.baselines.tapir.TapirMessage;
import org.mortydb.baselines.tapir.TapirReplica;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.protocol.system.Evidence;
import org.mortydb.protocol.system.MessageCodec;
import org.mortydb.protocol.system.TransactionSystem;

/** Optimistic concurrency control over inconsistent replication. */
public final class Tapir implements TransactionSystem {
  private static final MessageCodec CODEC = TapirFormats.codec(1);

  private final ReplicaRules replicaRules;
  private final CoordinatorRules coordinatorRules;

  /** The system {@code tapir}. */
  public Tapir() {
    this(ReplicaRules.SOUND, CoordinatorRules.SOUND);
  }

  /** TAPIR with rules that may be broken, for tests of the checkers. */
  public Tapir(ReplicaRules replicaRules, CoordinatorRules coordinatorRules) {
    this.replicaRules = replicaRules;
    this.coordinatorRules = coordinatorRules;
  }

  @Override
  public String name() {
    return "tapir";
  }

  @Override
  public CoordinatorMachine coordinator(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
    return new TapirCoordinator(attempt, topology, options, coordinatorRules);
  }

  @Override
  public StateMachine<Effects> replica(ReplicaId self, Topology topology, ReplicaOptions options) {
    return new TapirReplica(self, topology, options, replicaRules);
  }

  @Override
  public MessageCodec codec() {
    return CODEC;
  }

  @Override
  public @Nullable Evidence evidence(Message.OfSystem message) {
    return switch (message) {
      // Versions are named by stamps.
      case TapirMessage.Prepare m ->
          new Evidence.Sets(m.txn(), m.stamp(), m.readSet(), m.writeSet());
      case TapirMessage.Commit m -> new Evidence.Position(m.txn(), m.stamp());
      default -> null;
    };
  }

  @Override
  public String toString() {
    return name();
  }
}
