package org.mortydb.client.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ReadLevel;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.message.Message.PastLevel;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.past.HeardPlaces;
import org.mortydb.protocol.past.PastCoordinator;
import org.mortydb.protocol.past.PastGoal;
import org.mortydb.protocol.past.Places;
import org.mortydb.protocol.past.Seen;

/** Makes the coordinators of an engine's transactions that read the past. */
final class PastReads {
  private final List<Topology> topologies;
  private final HeardPlaces heard = new HeardPlaces();

  /**
   * @param topologies the maps that the engine knows, ascending; later ones are added
   */
  PastReads(List<Topology> topologies) {
    this.topologies = topologies;
  }

  /**
   * The coordinator of an attempt; null if replicas are behind what the reader needs, as far as is
   * known: then it asks for votes.
   *
   * @param level one that reads the past
   * @param seen what the session has seen
   * @param nowMicros the client's clock in microseconds
   */
  @Nullable CoordinatorMachine coordinator(
      TxnId txn, ReadLevel level, Seen seen, CoordinatorOptions options, long nowMicros) {
    PastGoal goal = goal(level, seen.place(), nowMicros);
    if (goal.hasBound() && heard.isAboveAll(goal.place(), nowMicros)) {
      return null;
    }
    if (goal.level() == PastLevel.AT) {
      return new PastCoordinator(
          txn, goal, ClientEngine.at(topologies, goal.place().timeMicros()), options, heard, seen);
    }
    Topology last = topologies.getLast();
    long cutMicros = last.map().cutMicros();
    if (goal.level() == PastLevel.NEWEST && cutMicros > 0) {
      // Below the cut the keys are elsewhere.
      TxnId lowest = Places.from(cutMicros + 1);
      goal = goal.place().isBefore(lowest) ? PastGoal.newestFrom(lowest) : goal;
    }
    return new PastCoordinator(txn, goal, last, options, heard, seen);
  }

  private static PastGoal goal(ReadLevel level, TxnId seen, long nowMicros) {
    return switch (level) {
      case ReadLevel.Local _ -> PastGoal.LOCAL;
      case ReadLevel.Bounded(long micros) -> {
        TxnId oldest = Places.from(nowMicros - micros);
        yield PastGoal.newestFrom(seen.isAfter(oldest) ? seen : oldest);
      }
      case ReadLevel.Snapshot(TxnId place) ->
          place == null ? PastGoal.newestFrom(seen) : PastGoal.at(place);
      case ReadLevel.Strict _, ReadLevel.Serializable _ ->
          throw new IllegalArgumentException(level.words() + " does not read the past");
    };
  }
}
