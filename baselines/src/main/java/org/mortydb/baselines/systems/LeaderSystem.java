package org.mortydb.baselines.systems;

import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.codec.LeaderFormats;
import org.mortydb.baselines.message.LeaderMessage;
import org.mortydb.baselines.twophase.BaselineRules;
import org.mortydb.baselines.twophase.ConcurrencyControl;
import org.mortydb.baselines.twophase.GroupReplica;
import org.mortydb.baselines.twophase.TwoPhaseClient;
import org.mortydb.baselines.twophase.TwoPhaseClient.ReadPolicy;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Evidence;
import org.mortydb.protocol.system.MessageCodec;
import org.mortydb.protocol.system.TransactionSystem;

/** Two-phase commit over a replicated log for each partition, with a stable leader. */
abstract class LeaderSystem implements TransactionSystem {
  private final String name;
  private final ReadPolicy reads;
  private final boolean tellsUpdates;
  private final ConcurrencyControl.Factory control;
  private final MessageCodec codec;

  LeaderSystem(String name, ReadPolicy reads, ConcurrencyControl.Factory control, int codecNumber) {
    this(name, reads, false, control, codecNumber);
  }

  LeaderSystem(
      String name,
      ReadPolicy reads,
      boolean tellsUpdates,
      ConcurrencyControl.Factory control,
      int codecNumber) {
    this.name = name;
    this.reads = reads;
    this.tellsUpdates = tellsUpdates;
    this.control = control;
    this.codec = LeaderFormats.codec(codecNumber);
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final CoordinatorMachine coordinator(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
    return new TwoPhaseClient(attempt, topology, options, reads, tellsUpdates, BaselineRules.SOUND);
  }

  @Override
  public final StateMachine<Effects> replica(
      ReplicaId self, Topology topology, ReplicaOptions options) {
    return new GroupReplica(self, topology, options, BaselineRules.SOUND, control);
  }

  /** Whether leaders admit sums that commute. Otherwise merges are refused. */
  @Override
  public boolean merges() {
    return false;
  }

  @Override
  public final MessageCodec codec() {
    return codec;
  }

  /** Followers apply their leader's whole log. */
  @Override
  public final boolean hasEqualReplicas() {
    return true;
  }

  @Override
  public final @Nullable Evidence evidence(Message.OfSystem message) {
    return switch (message) {
      case LeaderMessage.PrepareCommit m ->
          new Evidence.Sets(m.txn(), m.txn(), m.readSet(), m.writeSet());
      case LeaderMessage.Verdict m when m.isCommit() ->
          new Evidence.Position(m.txn(), m.txn().at(m.commitMicros()));
      default -> null;
    };
  }

  @Override
  public final String toString() {
    return name;
  }
}
