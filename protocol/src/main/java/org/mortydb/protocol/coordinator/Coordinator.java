package org.mortydb.protocol.coordinator;

import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.model.Topology;

/** The coordinator of one transaction, in its client. */
public final class Coordinator implements StateMachine<CoordinatorEffects> {

  /**
   * @param timeMicros the transaction's timestamp, strictly monotonic per client
   * @param clientId the client process
   */
  public Coordinator(
      long timeMicros,
      long clientId,
      Topology topology,
      CoordinatorOptions options,
      CoordinatorRules rules) {}

  @Override
  public void step(long nowMicros, Event event, CoordinatorEffects out) {}
}
