package org.mortydb.cli.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.Replica;

/**
 * What a replica has stored, as far as others must agree with it.
 *
 * @param id which replica
 * @param server the server that it is on
 * @param whole whether it has stored all that it ever promised; one that is not joins anew
 * @param watermark at or below it everything is decided, and known here
 * @param undecided how many transactions it has voted on or accepted that are not decided
 * @param keys its keys
 */
record StoredReplica(
    ReplicaId id,
    String server,
    boolean whole,
    TxnId watermark,
    int undecided,
    TreeMap<Key, History> keys) {
  private static final int SLOTS_AT_ONCE = 65_536;
  private static final History NOTHING = new History(List.of(), TxnId.INITIAL);

  /**
   * The committed versions of a key that are kept.
   *
   * @param versions from the oldest to the newest
   * @param floor what is below it may have been forgotten, whatever the watermark
   */
  record History(List<Kept> versions, TxnId floor) {

    /** The newest version at or below a watermark; null if there is none. */
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
    /** As text: who wrote it, and how long it is. */
    String text() {
      return id + (value.isAbsent() ? " (deletion)" : " (" + value.size() + " bytes)");
    }
  }

  /** What it keeps of a key. */
  History history(Key key) {
    return keys.getOrDefault(key, NOTHING);
  }

  /** What a replica that was restored has stored. */
  static StoredReplica of(ReplicaId id, String server, Replica replica) {
    List<TxnId> watermark = new ArrayList<>();
    replica.copyOldRecords(
        0,
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
        replica.undecided().size(),
        collector.keys);
  }

  /** Gathers versions by key. */
  private static final class Collector {
    private final TreeMap<Key, History> keys = new TreeMap<>();

    void take(LogRecord logged) {
      switch (logged) {
        case LogRecord.Floor(Key key, TxnId floor) ->
            keys.put(key, new History(new ArrayList<>(1), floor));
        case LogRecord.Version(Key key, WriteId id, Value value) ->
            keys.computeIfAbsent(key, k -> new History(new ArrayList<>(1), TxnId.INITIAL))
                .versions()
                .add(new Kept(id, value));
        default -> throw new IllegalStateException("no version: " + logged);
      }
    }
  }

  @Override
  public String toString() {
    return id + " of server '" + server + "'";
  }
}
