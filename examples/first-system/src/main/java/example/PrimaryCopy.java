package example;

import java.lang.invoke.MethodHandles;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.MessageCodec;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.wire.RecordCodec;

/**
 * Primary copy with locks. One replica of each partition, the primary, serves all reads and keeps
 * all locks. A transaction that finds a lock taken aborts and is retried, so there are no
 * deadlocks. A primary promises to commit once f backups hold the writes. The client decides, and
 * commits once all primaries that it has used have promised.
 *
 * <p>Limits: replicas keep everything in memory. A partition stops while its primary is down, and a
 * primary that has lost its memory does not serve again. Keys that a failed client has prepared
 * stay locked. Primaries trust the commit times of clients.
 */
public final class PrimaryCopy implements TransactionSystem {
  private static final MessageCodec CODEC =
      new RecordCodec(100, MethodHandles.lookup(), PrimaryCopyMessage.class);

  @Override
  public String name() {
    return "primary-copy";
  }

  @Override
  public CoordinatorMachine coordinator(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
    return new PrimaryCopyCoordinator(attempt, topology, options);
  }

  @Override
  public StateMachine<Effects> replica(ReplicaId self, Topology topology, ReplicaOptions options) {
    ReplicaId primary = primary(self.partition(), topology);
    return self.equals(primary) ? new Primary(self, topology, options) : new Backup(primary);
  }

  static ReplicaId primary(int partition, Topology topology) {
    return new ReplicaId(partition, topology.leader(partition));
  }

  @Override
  public MessageCodec codec() {
    return CODEC;
  }

  /** Backups apply everything that their primary has applied. */
  @Override
  public boolean hasEqualReplicas() {
    return true;
  }

  /** The nearest relative: locks, leaders and two-phase commit. */
  @Override
  public String calibratedLike() {
    return "spanner";
  }
}
