package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.mortydb.protocol.model.TxnId;

/**
 * The cuts of the serial order whose versions are kept because a backup reads them
 * (docs/protocol.md, section 11). A replica begins to hold a cut before the watermark reaches it
 * and while no key's floor is above it. So the cut is complete once the watermark reaches it.
 */
final class HeldCuts {
  private static final Predicate<TxnId> NONE = writer -> false;

  /** Each cut, and until when it is held, in microseconds of the replica's clock. */
  private final TreeMap<TxnId, Long> cuts = new TreeMap<>();

  /** The highest floor that any key has ever had. */
  private TxnId highestFloor = TxnId.INITIAL;

  boolean contains(TxnId cut) {
    return cuts.containsKey(cut);
  }

  int size() {
    return cuts.size();
  }

  /** Whether some key may have lost versions that belong to the cut. */
  boolean isBelowFloor(TxnId cut) {
    return highestFloor.isAfter(cut);
  }

  /** The highest floor that any key has ever had. */
  TxnId highestFloor() {
    return highestFloor;
  }

  void hold(TxnId cut, long untilMicros) {
    cuts.put(cut, untilMicros);
  }

  void floorRaised(TxnId floor) {
    highestFloor = floor.isAfter(highestFloor) ? floor : highestFloor;
  }

  /** Gives up the cuts that no backup has asked about for long enough. */
  void expire(long elapsedMicros) {
    cuts.values().removeIf(untilMicros -> untilMicros <= elapsedMicros);
  }

  void clear() {
    cuts.clear();
  }

  /** Tests for the writers of those versions of a key that belong to a held cut. */
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
