package org.mortydb.baselines.twophase;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Inspectable;

/**
 * One replica of one partition of a system with leaders. The {@link Topology} names the leader,
 * which never changes. A partition whose leader is down stops.
 *
 * <p>A pure machine; see {@link StateMachine} for its thread rule. Its host fires the first {@link
 * Timer#TICK}.
 */
public final class GroupReplica implements StateMachine<Effects>, Inspectable {
  private final PartitionRole role;

  /**
   * An empty replica.
   *
   * @param controls creates the leader's concurrency control
   */
  public GroupReplica(
      ReplicaId self,
      Topology topology,
      ReplicaOptions options,
      BaselineRules rules,
      ConcurrencyControl.Factory controls) {
    role =
        topology.leader(self.partition()) == self.index()
            ? new Leader(self, topology, options, rules, controls)
            : new Follower(self, topology, options, rules, controls);
  }

  /** The newest version of a key that this replica knows to be committed. */
  public Versions.Version newest(Key key) {
    return role.versions().newest(key);
  }

  /** The number of transactions without an outcome at this replica. */
  public int openTransactions() {
    return role.openTransactions();
  }

  @Override
  public List<TxnId> undecided() {
    return role.undecided();
  }

  @Override
  public @Nullable VersionedValue newestCommitted(Key key) {
    Versions.Version newest = newest(key);
    boolean isWritten = !newest.id().isInitial();
    return isWritten ? new VersionedValue(key, newest.id(), newest.value(), true) : null;
  }

  @Override
  public void checkInvariants() {
    role.checkInvariants();
  }

  @Override
  public void step(long nowMicros, Event event, Effects out) {
    switch (event) {
      case Event.Received(Endpoint from, Message message) ->
          role.onMessage(nowMicros, from, message, out);
      case Event.TimerFired(Timer timer) -> role.onTimer(nowMicros, timer, out);
      case Event.BatchEnded ignored -> {}
      case Event.Forwarded ignored -> {}
      case Event.Renumber ignored -> {}
      case Event.Unreachable ignored -> {}
      case Event.Call call -> throw new IllegalStateException("a replica is not called: " + call);
    }
  }
}
