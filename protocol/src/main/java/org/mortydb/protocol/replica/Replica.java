package org.mortydb.protocol.replica;

import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;

/** One replica of one partition. */
public final class Replica implements StateMachine<Effects> {

  public Replica(ReplicaId self, Topology topology, ReplicaOptions options, ReplicaRules rules) {}

  @Override
  public void step(long nowMicros, Event event, Effects out) {}
}
