package org.mortydb.protocol.replica;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.replica.Replica.Memory;

/**
 * How a cluster goes back to an earlier state after more than f replicas of a partition have
 * forgotten promises (docs/protocol.md, section 9). All partitions go back to the same cut of the
 * serial order. So the state contains each transaction in full or not at all, with all that it has
 * read.
 *
 * @param cut the cut; commits above it are lost
 * @param fence no transaction above the cut and at or below the fence ever commits
 * @param sources the replicas that hold the state at the cut, at least f+1 of each partition; all
 *     others join anew
 */
public record Rollback(TxnId cut, TxnId fence, Set<ReplicaId> sources) {

  /**
   * Finds the highest cut that f+1 replicas of each partition can go back to. The same memories
   * give the same result, so each server can find it alone.
   *
   * @param memories of the replicas, as they are now that all servers are stopped
   * @return null if there is no such cut
   */
  public static @Nullable Rollback of(int f, int partitions, Map<ReplicaId, Memory> memories) {
    TreeSet<TxnId> cuts =
        memories.values().stream()
            .filter(Memory::served)
            .map(Memory::upTo)
            .collect(Collectors.toCollection(TreeSet::new));
    for (TxnId cut : cuts.descendingSet()) {
      Set<ReplicaId> sources =
          memories.entrySet().stream()
              .filter(one -> one.getValue().holds(cut))
              .map(Map.Entry::getKey)
              .collect(Collectors.toCollection(LinkedHashSet::new));
      if (isEnough(f, partitions, sources)) {
        return new Rollback(cut, fence(memories.values()), sources);
      }
    }
    return null;
  }

  /**
   * Gives the records that replace all that a replica has stored. One that is no source keeps
   * nothing, but does not believe outcomes that have been undone; it joins anew.
   *
   * @param replica restored from what it has stored
   */
  public void copy(ReplicaId id, Replica replica, Consumer<LogRecord> to) {
    if (sources.contains(id)) {
      replica.copyStateAt(cut, fence, to);
      return;
    }
    to.accept(new LogRecord.Fenced(fence));
    to.accept(new LogRecord.Truncated(fence, fence));
    // It holds no state, not even that at the fence.
    to.accept(new LogRecord.HistoryFrom(new TxnId(fence.timeMicros() + 1, Long.MAX_VALUE, 0)));
  }

  /** Goes back to the state before the first transaction, which needs no memory. */
  public static Rollback toNothing(Map<ReplicaId, Memory> memories) {
    return new Rollback(
        TxnId.INITIAL, fence(memories.values()), new LinkedHashSet<>(memories.keySet()));
  }

  private static boolean isEnough(int f, int partitions, Set<ReplicaId> sources) {
    for (int partition = 0; partition < partitions; partition++) {
      int number = partition;
      if (sources.stream().filter(source -> source.partition() == number).count() <= f) {
        return false;
      }
    }
    return true;
  }

  private static TxnId fence(Collection<Memory> memories) {
    long latestMicros = memories.stream().mapToLong(Memory::latestMicros).max().orElse(0);
    return new TxnId(latestMicros + 1, Long.MAX_VALUE, 0);
  }
}
