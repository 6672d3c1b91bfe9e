package org.mortydb.cli.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.Replica;

/**
 * The part of a stored replica on which all replicas of its partition must agree.
 *
 * @param id the replica
 * @param server the server that holds it
 * @param whole whether it has stored all its promises; otherwise it rejoins at the next start
 * @param watermark at or below it every transaction is decided, and known to this replica
 * @param erased deletions at or below it may have been discarded
 * @param undecided how many undecided transactions it has voted on or accepted
 * @param keys its keys
 * @param maps the maps of the cluster that it knows
 */
record StoredReplica(
    ReplicaId id,
    String server,
    boolean whole,
    TxnId watermark,
    TxnId erased,
    int undecided,
    TreeMap<Key, History> keys,
    MapHistory maps) {
  private static final int SLOTS_AT_ONCE = 65_536;
  private static final History NOTHING = new History(List.of(), TxnId.INITIAL);

  /**
   * The committed versions of a key that the replica keeps.
   *
   * @param versions from the oldest to the newest
   * @param floor versions below it may have been discarded, whatever the watermark
   */
  record History(List<Kept> versions, TxnId floor) {

    /** Returns the newest version at or below a watermark; null if there is none. */
    @Nullable Kept newestUpTo(TxnId watermark) {
      Kept newest = null;
      for (Kept version : versions) {
        if (!version.id().writer().isAfter(watermark)) {
          newest = version;
        }
      }
      return newest;
    }
  }

  /** A version. */
  record Kept(WriteId id, Value value) {
    /** Returns the writer and the length of the value as text. */
    String text() {
      return id + (value.isAbsent() ? " (deletion)" : " (" + value.size() + " bytes)");
    }
  }

  /** Returns what the replica keeps of a key. */
  History history(Key key) {
    return keys.getOrDefault(key, NOTHING);
  }

  /** Returns what a restored replica has stored. */
  static StoredReplica of(ReplicaId id, String server, Replica replica) {
    List<TxnId> watermark = new ArrayList<>();
    replica.copyRecords(
        Replica.NO_LOG,
        logged -> {
          if (logged instanceof LogRecord.Truncated(TxnId reached, TxnId unused)) {
            watermark.add(reached);
          }
        });
    Collector collector = new Collector();
    int slot = 0;
    do {
      slot = replica.copyVersions(slot, SLOTS_AT_ONCE, collector::take);
    } while (slot >= 0);
    return new StoredReplica(
        id,
        server,
        replica.isWhole(),
        watermark.getFirst(),
        collector.erased,
        replica.undecided().size(),
        collector.keys,
        replica.maps());
  }

  /** Whether a key has moved to another partition, so that this replica may have forgotten it. */
  boolean mayHaveForgotten(Key key) {
    ClusterMap first = maps.firstWith(id.partition());
    return first != null
        && !MapRecord.isRecord(key)
        && maps.maps().stream()
            .anyMatch(
                map ->
                    map.number() > first.number()
                        && map.number() <= maps.closed()
                        && map.partitionOf(key) != id.partition());
  }

  /** Gathers versions by key. */
  private static final class Collector {
    private final TreeMap<Key, History> keys = new TreeMap<>();
    private TxnId erased = TxnId.INITIAL;

    void take(LogRecord logged) {
      switch (logged) {
        case LogRecord.Floor(Key key, TxnId floor) ->
            keys.put(key, new History(new ArrayList<>(1), floor));
        case LogRecord.Version(Key key, WriteId id, Value value) ->
            keys.computeIfAbsent(key, k -> new History(new ArrayList<>(1), TxnId.INITIAL))
                .versions()
                .add(new Kept(id, value));
        case LogRecord.HistoryFrom unused -> {}
        case LogRecord.Erased(TxnId upTo, List<Key> unused) -> erased = upTo;
        default -> throw new IllegalStateException("not a version: " + logged);
      }
    }
  }

  @Override
  public String toString() {
    return id + " of server '" + server + "'";
  }
}
