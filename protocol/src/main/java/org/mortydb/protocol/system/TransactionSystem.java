package org.mortydb.protocol.system;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;

/**
 * A system that runs transactions: Morty, one of its variants, or a system to compare it with.
 *
 * <p>A system is a service: its class has a public constructor without arguments, and its jar names
 * the class in {@code META-INF/services/org.mortydb.protocol.system.TransactionSystem}. {@link
 * TransactionSystems} finds it. All processes of a cluster run the system that the setting {@code
 * cluster.system} names.
 *
 * <p>Implementations are immutable and safe for use by several threads.
 */
public interface TransactionSystem {

  /** Its name in configurations and records: lower-case letters, digits and hyphens. */
  String name();

  // ---- machines -----------------------------------------------------------------------------

  /** Makes the client's half of one attempt at a transaction. */
  CoordinatorMachine coordinator(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options);

  /**
   * Makes a replica that has no memory to restore. A replica may implement {@link Inspectable}, so
   * that the simulator can check it.
   */
  StateMachine<Effects> replica(ReplicaId self, Topology topology, ReplicaOptions options);

  /** Puts the system's own messages on the wire. Null if it sends only messages of Morty. */
  default @Nullable MessageCodec codec() {
    return null;
  }

  // ---- capabilities -------------------------------------------------------------------------

  /** Whether a write may be a merge, which needs no read (docs/protocol.md, section 17). */
  default boolean merges() {
    return false;
  }

  /** Whether transactions can scan ranges of keys. */
  default boolean scans() {
    return false;
  }

  /**
   * Whether replicas answer reads of the past, without votes ({@link
   * org.mortydb.protocol.past.PastCoordinator}).
   */
  default boolean readsPast() {
    return false;
  }

  /**
   * Whether clients may take the timestamps of their transactions from region slots
   * (docs/protocol.md, section 12): any unique timestamps that are close to the clock will do.
   */
  default boolean usesRegionSlots() {
    return false;
  }

  /**
   * Whether a replica keeps across crashes what it has promised, and whether a new replica can
   * replace a lost one. The replica must then be a {@link org.mortydb.protocol.replica.Replica}:
   * servers store its records only.
   */
  default boolean isDurable() {
    return false;
  }

  /** Whether all replicas of a partition hold the same data once no transaction is under way. */
  default boolean hasEqualReplicas() {
    return false;
  }

  /** What committed transactions may see of each other. */
  default Guarantee guarantee() {
    return Guarantee.SERIALIZABLE_BY_POSITION;
  }

  // ---- measurements -------------------------------------------------------------------------

  /**
   * How long a transaction that lost a conflict waits before it is retried, in measurements that do
   * not set it.
   *
   * @param roundTripMicros the longest round trip between two regions, 0 or more
   */
  default Backoff backoff(long roundTripMicros) {
    return Backoff.patient(roundTripMicros);
  }

  /**
   * The name of the system whose measured costs stand for those of this one, where a calibration
   * has none of its own: a variant does the same work as the system that it is made of. Null if
   * there is none.
   */
  default @Nullable String calibratedLike() {
    return null;
  }

  // ---- verification -------------------------------------------------------------------------

  /**
   * What a message proves about a transaction. The simulator uses it for transactions whose client
   * does not know the outcome. Null if the message proves nothing, as it does for messages of
   * Morty, which the simulator knows.
   */
  default @Nullable Evidence evidence(Message.OfSystem message) {
    return null;
  }
}
