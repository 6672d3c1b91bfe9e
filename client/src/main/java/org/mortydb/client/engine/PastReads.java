package org.mortydb.client.engine;

import org.mortydb.client.ReadLevel;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.past.HeardPlaces;
import org.mortydb.protocol.past.PastCoordinator;
import org.mortydb.protocol.past.PastGoal;
import org.mortydb.protocol.past.Places;

/** Makes the coordinators of an engine's transactions that read the past. */
final class PastReads {
  private final Topology topology;
  private final HeardPlaces heard = new HeardPlaces();

  PastReads(Topology topology) {
    this.topology = topology;
  }

  /**
   * The coordinator of an attempt.
   *
   * @param level one that reads the past
   * @param nowMicros the client's clock in microseconds
   */
  CoordinatorMachine coordinator(
      TxnId txn, ReadLevel level, CoordinatorOptions options, long nowMicros) {
    return new PastCoordinator(txn, goal(level, nowMicros), topology, options, heard);
  }

  private static PastGoal goal(ReadLevel level, long nowMicros) {
    return switch (level) {
      case ReadLevel.Local _ -> PastGoal.LOCAL;
      case ReadLevel.Bounded(long micros) -> PastGoal.newestFrom(Places.from(nowMicros - micros));
      case ReadLevel.Snapshot(TxnId place) ->
          place == null ? PastGoal.newestFrom(TxnId.INITIAL) : PastGoal.at(place);
      case ReadLevel.Strict _, ReadLevel.Serializable _ ->
          throw new IllegalArgumentException(level.words() + " does not read the past");
    };
  }
}
