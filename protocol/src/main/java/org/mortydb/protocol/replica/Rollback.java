package org.mortydb.protocol.replica;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.MapRecord;
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
 * @param maps the maps of the cluster at the cut. No change of the map is under way then
 * @param sources the replicas that hold the state at the cut, at least f+1 of each partition of the
 *     last map; all others join anew
 */
public record Rollback(TxnId cut, TxnId fence, MapHistory maps, Set<ReplicaId> sources) {

  /**
   * Finds the highest cut that f+1 replicas of each partition can go back to, and at which the
   * change to the last map is complete. The same memories give the same result, so each server can
   * find it alone.
   *
   * @param maps all maps that any replica knows, closed to the highest change that any has heard
   *     of: what remains of those that were proposed after the cut must not count
   * @param memories of the replicas, as they are now that all servers are stopped
   * @param records the versions of the records of maps, of each replica that has any
   * @return null if there is no such cut
   */
  public static @Nullable Rollback of(
      MapHistory maps,
      Map<ReplicaId, Memory> memories,
      Map<ReplicaId, List<MapRecordVersion>> records) {
    for (TxnId cut : cuts(maps.last(), memories)) {
      Set<ReplicaId> sources = sources(maps.last(), memories, cut);
      MapHistory known = isEnough(maps.last(), sources) ? at(cut, maps, sources, records) : null;
      if (known != null) {
        return new Rollback(cut, fence(memories.values()), known, sources);
      }
    }
    return null;
  }

  /** The cuts that any replica may go back to, from the highest down. */
  private static SortedSet<TxnId> cuts(ClusterMap map, Map<ReplicaId, Memory> memories) {
    TreeSet<TxnId> cuts = new TreeSet<>(Comparator.reverseOrder());
    memories.forEach(
        (id, memory) -> {
          if (map.has(id.partition()) && memory.served()) {
            cuts.add(memory.upTo());
          }
        });
    return cuts;
  }

  private static Set<ReplicaId> sources(
      ClusterMap map, Map<ReplicaId, Memory> memories, TxnId cut) {
    Set<ReplicaId> sources = new LinkedHashSet<>();
    memories.forEach(
        (id, memory) -> {
          if (map.has(id.partition()) && memory.holds(cut)) {
            sources.add(id);
          }
        });
    return sources;
  }

  private static boolean isEnough(ClusterMap map, Set<ReplicaId> sources) {
    for (int partition : map.servers().keySet()) {
      if (sources.stream().filter(source -> source.partition() == partition).count() <= map.f()) {
        return false;
      }
    }
    return true;
  }

  /**
   * The maps at a cut, if the last one is complete there: its record is, and only then.
   *
   * @return null if the change to the last map, or to one after it, is under way at the cut
   */
  private static @Nullable MapHistory at(
      TxnId cut,
      MapHistory maps,
      Set<ReplicaId> sources,
      Map<ReplicaId, List<MapRecordVersion>> records) {
    int last = maps.last().number();
    @Nullable MapRecordVersion newest = null;
    for (ReplicaId source : sources) {
      for (MapRecordVersion one : records.getOrDefault(source, List.of())) {
        if (one.map() == last
            && !one.writer().isAfter(cut)
            && (newest == null || one.writer().isAfter(newest.writer()))) {
          newest = one;
        }
      }
    }
    if (newest == null) {
      return last == 0 ? maps : null;
    }
    try {
      MapRecord record = MapRecord.of(newest.value());
      return record.decided() ? null : maps.closedTo(record.opened().closed());
    } catch (IllegalArgumentException e) {
      return null; // an operator has written something else
    }
  }

  /**
   * Gives the records that replace all that a replica has stored. One that is no source keeps
   * nothing, but does not believe outcomes that have been undone; it joins anew. Replicas of
   * partitions that no map has are not asked: nothing of them remains.
   *
   * @param replica restored from what it has stored
   */
  public void copy(ReplicaId id, Replica replica, Consumer<LogRecord> to) {
    LogRecord origin = replica.origin();
    if (origin != null) {
      to.accept(origin);
    }
    if (maps.maps().size() > 1 || maps.closed() > 0) {
      to.accept(new LogRecord.MapsKnown(maps.maps(), maps.closed(), maps.last().number()));
    }
    if (sources.contains(id)) {
      replica.copyStateAt(cut, fence, maps.last(), to);
      return;
    }
    to.accept(new LogRecord.Fenced(fence));
    to.accept(new LogRecord.Truncated(fence, fence));
    // It holds no state, not even that at the fence.
    to.accept(new LogRecord.HistoryFrom(new TxnId(fence.timeMicros() + 1, Long.MAX_VALUE, 0)));
  }

  /**
   * Goes back to the state before the first transaction, which needs no memory.
   *
   * @param maps those of a cluster whose map has never changed
   */
  public static Rollback toNothing(MapHistory maps, Map<ReplicaId, Memory> memories) {
    return new Rollback(
        TxnId.INITIAL, fence(memories.values()), maps, new LinkedHashSet<>(memories.keySet()));
  }

  private static TxnId fence(Collection<Memory> memories) {
    long latestMicros = memories.stream().mapToLong(Memory::latestMicros).max().orElse(0);
    return new TxnId(latestMicros + 1, Long.MAX_VALUE, 0);
  }
}
