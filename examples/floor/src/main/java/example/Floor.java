package example;

import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;

/**
 * The floor below Morty: its client and its messages, with replicas that only keep the last values
 * of each key in a hash table. They vote to commit whatever they are asked, log nothing, and push
 * nothing. So what a run with this system costs is what the workload, the client, the codec, the
 * connections, the JVM and the machine cost, and a replica's state cannot make Morty cheaper or
 * faster than this.
 *
 * <p>It is no store: its histories are not serializable, and it loses data.
 */
public final class Floor implements TransactionSystem {
  @Override
  public String name() {
    return "floor";
  }

  @Override
  public CoordinatorMachine coordinator(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
    return Morty.SYSTEM.coordinator(attempt, topology, options);
  }

  @Override
  public StateMachine<Effects> replica(ReplicaId self, Topology topology, ReplicaOptions options) {
    return new FloorReplica();
  }

  @Override
  public String calibratedLike() {
    return Morty.NAME;
  }
}
