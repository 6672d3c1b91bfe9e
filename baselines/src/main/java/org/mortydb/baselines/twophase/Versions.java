package org.mortydb.baselines.twophase;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * The committed versions of a partition's keys, by commit timestamp. Replaced versions are kept for
 * some time for snapshots, up to a limit for each key.
 */
public final class Versions {

  /** A committed version. */
  public record Version(WriteId id, Value value, long commitMicros) {}

  /** The value of a key before its first write. */
  static final Version INITIAL = new Version(WriteId.INITIAL, Value.ABSENT, 0);

  private static final class Chain {
    /** Ascending; never empty. */
    final ArrayList<Version> versions = new ArrayList<>(1);

    /** Whether versions were dropped, so that the state below the first version is unknown. */
    boolean isTrimmed;
  }

  private record Replaced(Key key, long replacedAtMicros) {}

  private final int maxPerKey;
  private final HashMap<Key, Chain> chains = new HashMap<>();
  private final ArrayDeque<Replaced> replaced = new ArrayDeque<>();

  /**
   * @param maxPerKey the most versions of a key that are kept, at least 1
   */
  Versions(int maxPerKey) {
    this.maxPerKey = maxPerKey;
  }

  /** The newest version of a key. */
  public Version newest(Key key) {
    Chain chain = chains.get(key);
    return chain == null ? INITIAL : chain.versions.getLast();
  }

  /** The newest version below a timestamp; null if it was dropped. */
  @Nullable Version below(Key key, long atMicros) {
    Chain chain = chains.get(key);
    if (chain == null) {
      return INITIAL;
    }
    for (int i = chain.versions.size() - 1; i >= 0; i--) {
      if (chain.versions.get(i).commitMicros < atMicros) {
        return chain.versions.get(i);
      }
    }
    return chain.isTrimmed ? null : INITIAL;
  }

  /**
   * The versions of a key that a snapshot does not show, newest first; null if some of them may
   * have been dropped.
   */
  public @Nullable List<Version> above(Key key, long snapshotMicros) {
    Chain chain = chains.get(key);
    if (chain == null || chain.versions.getLast().commitMicros < snapshotMicros) {
      return List.of();
    }
    ArrayList<Version> newer = new ArrayList<>();
    for (int i = chain.versions.size() - 1; i >= 0; i--) {
      if (chain.versions.get(i).commitMicros < snapshotMicros) {
        return newer;
      }
      newer.add(chain.versions.get(i));
    }
    return chain.isTrimmed ? null : newer;
  }

  /**
   * Adds a transaction's writes. Transactions that write the same key are installed in timestamp
   * order.
   */
  void install(TxnId txn, long commitMicros, List<Write> writes) {
    for (Write write : writes) {
      Chain chain = chains.computeIfAbsent(write.key(), ignored -> new Chain());
      ArrayList<Version> versions = chain.versions;
      if (!versions.isEmpty()) {
        if (versions.getLast().commitMicros >= commitMicros) {
          throw new IllegalStateException(
              txn
                  + " commits "
                  + write.key()
                  + " at "
                  + commitMicros
                  + ", not above the version at "
                  + versions.getLast().commitMicros);
        }
        if (maxPerKey > 1) {
          replaced.add(new Replaced(write.key(), commitMicros));
        }
      }
      versions.add(new Version(new WriteId(txn, write.valueId()), write.value(), commitMicros));
      // A long chain is cut by an eighth at a time, so that the cost for each version is small.
      if (versions.size() > maxPerKey + maxPerKey / 8) {
        versions.subList(0, versions.size() - maxPerKey).clear();
        chain.isTrimmed = true;
      }
    }
  }

  /** Drops versions that were replaced at or before a timestamp. */
  void trim(long horizonMicros) {
    for (Replaced oldest = replaced.peek();
        oldest != null && oldest.replacedAtMicros <= horizonMicros;
        oldest = replaced.peek()) {
      replaced.remove();
      Chain chain = chains.get(oldest.key);
      if (chain == null) {
        continue;
      }
      int from = 0;
      while (from + 1 < chain.versions.size()
          && chain.versions.get(from + 1).commitMicros <= horizonMicros) {
        from++;
      }
      if (from > 0) {
        chain.versions.subList(0, from).clear();
        chain.isTrimmed = true;
      }
    }
  }
}
