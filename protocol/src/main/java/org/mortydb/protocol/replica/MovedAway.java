package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.MapHistory;

/**
 * Forgets the keys that have moved away (docs/protocol.md, section 15). Nobody asks for them here
 * any more: transactions above the cut of the map find them elsewhere, and those at or below it are
 * at or below the watermark. Those to which they have moved hold them durably, and copy none of
 * them any more.
 *
 * <p>A tick looks at some keys only, because there may be very many.
 */
final class MovedAway {
  /** How many slots a tick looks at. */
  private static final int MOST_LOOKED_AT = 2_048;

  private final ReplicaState state;
  private final Copies copies;

  /** Where the next tick goes on. */
  private int slot;

  /** The map up to which all slots were looked at. */
  private int forgottenTo;

  MovedAway(ReplicaState state, Copies copies) {
    this.state = state;
    this.copies = copies;
  }

  void onTick(Effects out) {
    if (copies.isUnderWay()) {
      slot = 0; // a peer that has not forgotten them brings them back
      forgottenTo = 0;
      return;
    }
    ClusterMap map = lastComplete();
    if (map == null
        || map.number() <= forgottenTo
        || state.historyButForFloors().isBefore(map.cut()) // reads of the past find them here
        || state.cuts.size() > 0) {
      return;
    }
    ArrayList<Key> moved = new ArrayList<>();
    int end = Math.min(state.keys.slots(), slot + MOST_LOOKED_AT);
    for (; slot < end && moved.size() < Housekeeping.MOST_ERASED; slot++) {
      Key name = state.keys.nameAt(slot);
      if (name != null && state.maps.moves(map, name)) {
        KeyState key = state.keys.wake(slot);
        if (key.hasCommittedUpTo(map.cut())) {
          key.eraseUpTo(map.cut());
          moved.add(name);
        }
        state.housekeeping.prunable(key, state.elapsedMicros);
      }
    }
    if (!moved.isEmpty()) {
      mark(map.cut(), Branch.MOVED_FORGOTTEN, out);
      // A copy of changes could not tell that from a deletion, which others may not have.
      state.erased(map.cut());
      out.append(new LogRecord.Erased(map.cut(), moved));
    }
    if (slot >= state.keys.slots()) {
      slot = 0;
      forgottenTo = map.number();
    }
  }

  /**
   * The last map whose new partitions hold their keys durably; null if this partition is not older.
   */
  private @Nullable ClusterMap lastComplete() {
    MapHistory history = state.maps.history();
    ClusterMap first = history.firstWith(state.self.partition());
    ClusterMap complete = null;
    for (ClusterMap map : history.maps()) {
      if (first != null && map.number() > first.number() && map.number() <= history.closed()) {
        complete = map;
      }
    }
    return complete;
  }
}
