package org.mortydb.baselines.twophase;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.ReplicaOptions;

/**
 * The committed versions of a partition's keys, by commit timestamp. Replaced versions are kept for
 * some time for snapshots, up to a limit for each key.
 */
public final class Versions {

  /** A committed version. */
  public record Version(WriteId id, Value value, long commitMicros) {

    /** Whether it is above a transaction in the serial order. */
    private boolean isAbove(TxnId txn, long micros) {
      return commitMicros > micros
          || (commitMicros == micros && id.writer().at(micros).isAfter(txn.at(micros)));
    }
  }

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
  private final boolean renumbers;
  private final HashMap<Key, Chain> chains = new HashMap<>();
  private final ArrayDeque<Replaced> replaced = new ArrayDeque<>();

  /**
   * @param maxPerKey the most versions of a key that are kept, at least 1
   * @param renumbers whether a version gets another identity when a sum below it is installed: for
   *     readers that may have seen it before, and are validated by what they have seen
   */
  Versions(int maxPerKey, boolean renumbers) {
    this.maxPerKey = maxPerKey;
    this.renumbers = renumbers;
  }

  /**
   * The versions of a replica.
   *
   * @param hasSnapshots whether older versions are kept for snapshots; then no reader sees a key
   *     while a sum may still commit below it
   */
  static Versions of(boolean hasSnapshots, ReplicaOptions options) {
    return new Versions(hasSnapshots ? options.maxVersionsPerKey() : 1, !hasSnapshots);
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
   * Whether writes must be installed in the order of the log at the leader, too. A sum that is
   * installed below a version gives it the next identity. So replicas must go through the same
   * states: otherwise one identity could stand for two values.
   */
  boolean followLog(List<Write> writes) {
    return renumbers && writes.stream().anyMatch(write -> Merge.isSum(write.value()));
  }

  /**
   * Adds a transaction's writes. Transactions that write the same key are installed in timestamp
   * order; but those that only add to it in any order.
   */
  void install(TxnId txn, long commitMicros, List<Write> writes) {
    for (Write write : writes) {
      Chain chain = chains.computeIfAbsent(write.key(), ignored -> new Chain());
      ArrayList<Version> versions = chain.versions;
      if (!versions.isEmpty()) {
        if (versions.getLast().isAbove(txn, commitMicros) && Merge.isSum(write.value())) {
          installBelow(chain, new WriteId(txn, write.valueId()), write.value(), commitMicros);
          continue;
        }
        long last = versions.getLast().commitMicros;
        if (last > commitMicros || (last == commitMicros && !Merge.isSum(write.value()))) {
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
      Value before = versions.isEmpty() ? Value.ABSENT : versions.getLast().value;
      Value value = write.value().isMerge() ? Merge.apply(before, write.value()) : write.value();
      versions.add(new Version(new WriteId(txn, write.valueId()), value, commitMicros));
      // A long chain is cut by an eighth at a time, so that the cost for each version is small.
      if (versions.size() > maxPerKey + maxPerKey / 8) {
        versions.subList(0, versions.size() - maxPerKey).clear();
        chain.isTrimmed = true;
      }
    }
  }

  /** Installs a sum below others. It is left out if the history there is gone. */
  private void installBelow(Chain chain, WriteId id, Value sum, long commitMicros) {
    ArrayList<Version> versions = chain.versions;
    int at = versions.size();
    while (at > 0 && versions.get(at - 1).isAbove(id.writer(), commitMicros)) {
      at--;
      Version above = versions.get(at);
      int number = above.id.valueId() + (renumbers ? 1 : 0);
      Value value = Merge.apply(above.value, sum);
      versions.set(
          at, new Version(new WriteId(above.id.writer(), number), value, above.commitMicros));
    }
    if (at > 0 || !chain.isTrimmed) {
      Value below = at == 0 ? Value.ABSENT : versions.get(at - 1).value;
      versions.add(at, new Version(id, Merge.apply(below, sum), commitMicros));
      if (versions.size() > maxPerKey + maxPerKey / 8) {
        versions.subList(0, versions.size() - maxPerKey).clear();
        chain.isTrimmed = true;
      }
    }
  }

  /**
   * Whether a write fits the newest version.
   *
   * @param escrow the sums of other transactions that may commit before
   */
  boolean fits(Write write, Escrow escrow) {
    Value before = newest(write.key()).value();
    if (!write.value().isMerge()) {
      return true;
    }
    return Merge.isSum(write.value())
        ? escrow.admits(before, write)
        : !Merge.apply(before, write.value()).isFailed();
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
