package org.mortydb.client.engine;

import java.util.BitSet;
import java.util.List;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Write;

/**
 * The keys of transactions that have lately lost a conflict. If others read such a key, they read
 * it past a write that only the Prepare shows; so later writes of it are shown early
 * (docs/protocol.md, section 2, Put). Remembers hashes, so it may take another key for one of them.
 */
final class LostWrites {
  private static final int SLOTS = 1 << 14;

  /** So many keys are remembered at least, and twice as many at most. */
  static final int KEYS = 1 << 10;

  private BitSet recent = new BitSet(SLOTS);
  private BitSet earlier = new BitSet(SLOTS);

  /** A transaction has lost a conflict that may have been about its writes. */
  void add(List<Write> writes) {
    for (Write write : writes) {
      if (recent.cardinality() >= KEYS) {
        BitSet oldest = earlier;
        earlier = recent;
        recent = oldest;
        recent.clear();
      }
      recent.set(slotOf(write.key()));
    }
  }

  /** Whether a key may be one of them. */
  boolean mayHave(Key key) {
    int slot = slotOf(key);
    return recent.get(slot) || earlier.get(slot);
  }

  private static int slotOf(Key key) {
    int hash = key.hashCode() * 0x9E3779B9;
    return hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(SLOTS));
  }
}
