package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.mortydb.protocol.model.TxnId;

/**
 * The cuts of the serial order whose versions are not forgotten, because a backup reads them
 * (docs/protocol.md, section 11). A cut that is held since before the watermark has reached it, and
 * before any key's floor was above it, is whole once the watermark is there.
 */
final class HeldCuts {
  private static final Predicate<TxnId> NONE = writer -> false;

  /** Until when each is held, in microseconds of the replica's clock. */
  private final TreeMap<TxnId, Long> cuts = new TreeMap<>();

  /** The highest floor that any key has ever had. */
  private TxnId highestFloor = TxnId.INITIAL;

  boolean contains(TxnId cut) {
    return cuts.containsKey(cut);
  }

  int size() {
    return cuts.size();
  }

  /** Whether some key's history may be gone at the cut. */
  boolean isBelowFloor(TxnId cut) {
    return highestFloor.isAfter(cut);
  }

  void hold(TxnId cut, long untilMicros) {
    cuts.put(cut, untilMicros);
  }

  void floorRaised(TxnId floor) {
    highestFloor = floor.isAfter(highestFloor) ? floor : highestFloor;
  }

  /** Gives up those that nobody has asked about for long enough. */
  void expire(long nowMicros) {
    cuts.values().removeIf(untilMicros -> untilMicros <= nowMicros);
  }

  void clear() {
    cuts.clear();
  }

  /** Tells the writers of those versions of a key that belong to a cut. */
  Predicate<TxnId> writersOf(KeyState key) {
    if (cuts.isEmpty()) {
      return NONE;
    }
    ArrayList<TxnId> writers = new ArrayList<>(cuts.size());
    for (TxnId cut : cuts.keySet()) {
      int newest = key.versions().newestCommittedUpTo(cut);
      if (newest >= 0) {
        writers.add(key.versions().get(newest).writer());
      }
    }
    return writers::contains;
  }
}
