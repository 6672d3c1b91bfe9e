package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.MapKnowledge;
import org.mortydb.protocol.message.Message.Maps;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

/**
 * What a replica knows of the maps of its cluster, what its partition holds under them, and which
 * of that is sealed because it is about to move (docs/protocol.md, section 15).
 */
final class KnownMaps {
  /** Maps of so many bytes fit in one message. */
  private static final long MOST_BYTES = 512 * 1024;

  private final ReplicaId self;
  private final int f;

  /** Whether the map may change; otherwise no key is the record of one. */
  private final boolean mayChange;

  private MapHistory history;

  /** The map in which the partition is new; null if it is of the first map. */
  private final @Nullable ClusterMap origin;

  /**
   * A map that is proposed, and takes keys from this partition. Those who get them may begin to
   * copy. Lost in a restart: then they copy later.
   */
  private @Nullable ClusterMap upcoming;

  /** All partitions that any map has. */
  private final BitSet partitions = new BitSet();

  /** The proposed map above whose cut this replica gives no votes on what moves; null if none. */
  private @Nullable ClusterMap seal;

  /** Whether the seal may be acknowledged. */
  private boolean counts;

  /** What moved away with changes up to this number may be missing here. */
  private int dropped;

  /** Rounds of truncation have told this replica of all changes with cuts up to here. */
  private TxnId toldTo;

  /** The highest number of a change that they have told of. */
  private int toldOf;

  /**
   * @param proposed the map that has the replica's partition, if none of the history has it
   * @param mayChange whether the map may change
   */
  KnownMaps(ReplicaId self, MapHistory history, @Nullable ClusterMap proposed, boolean mayChange) {
    this.self = self;
    this.mayChange = mayChange;
    this.history = history;
    ClusterMap first = history.firstWith(self.partition());
    first = first == null ? proposed : first;
    if (first == null || !first.has(self.partition())) {
      throw new IllegalArgumentException(self + " is in none of the maps " + history);
    }
    this.f = first.f();
    this.origin = first.number() == 0 ? null : first;
    // No map takes keys from a partition before it is.
    ClusterMap decided = arrival();
    this.toldTo = decided == null ? TxnId.INITIAL : decided.cut();
    history.maps().forEach(map -> map.servers().keySet().forEach(partitions::set));
  }

  MapHistory history() {
    return history;
  }

  /** See {@link Replica#lastChange}. */
  int lastChange() {
    int highest = Math.max(history.last().number(), history.closed());
    highest = seal == null ? highest : Math.max(highest, seal.number());
    return origin == null ? highest : Math.max(highest, origin.number());
  }

  /** The failures that this partition tolerates: the same in all maps that have it. */
  int f() {
    return f;
  }

  /** The replicas of this partition: 2f+1. */
  int replicas() {
    return 2 * f + 1;
  }

  /** The failures that a partition tolerates; those of this one if it is not known. */
  int f(int partition) {
    ClusterMap first = history.firstWith(partition);
    return first == null ? f : first.f();
  }

  boolean knows(int partition) {
    return partition >= 0 && partitions.get(partition);
  }

  /** All partitions that any map has, ascending. */
  PrimitiveIterator.OfInt partitions() {
    return partitions.stream().iterator();
  }

  /** Whether the map may change. */
  boolean mayChange() {
    return mayChange;
  }

  /** Whether a key is the record of a map. */
  boolean isRecord(Key key) {
    return mayChange && MapRecord.isRecord(key);
  }

  // ---- what is held here --------------------------------------------------------------------

  /** Whether this partition holds a key under the map of a transaction. */
  boolean holds(TxnId txn, Key key) {
    ClusterMap map = isRecord(key) ? history.numbered(MapRecord.mapOf(key)) : history.at(txn);
    return map != null && map.partitionOf(key) == self.partition();
  }

  /** Whether a scan shows a key here: the records of maps are in no scan, and in no backup. */
  boolean shows(TxnId reader, Key key) {
    ClusterMap map = history.at(reader);
    return (map.cutMicros() == 0 || map.partitionOf(key) == self.partition()) && !isRecord(key);
  }

  /** Whether this partition held a key under an earlier map than that of a transaction. */
  boolean held(TxnId txn, Key key) {
    for (ClusterMap map : history.maps()) {
      if (txn.isAfter(map.cut()) && map.partitionOf(key) == self.partition()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a key is about to move, so that nobody may vote on it above a cut. */
  boolean isSealed(TxnId txn, Key key) {
    return seal != null
        && txn.isAfter(seal.cut())
        && seal.partitionOf(key) != self.partition()
        && !isRecord(key);
  }

  /**
   * Whether this replica may vote to commit an execution: its partition holds all keys and ranges
   * under the map of the transaction, and none of them is sealed. A partition without buckets votes
   * on the records of maps alone, although it may be the home of others.
   */
  boolean mayVote(TxnId txn, ExecutionRecord execution) {
    if (seal == null && history.maps().size() == 1) {
      return true;
    }
    List<Read> reads = execution.reads();
    for (int i = 0; i < reads.size(); i++) {
      if (!mayVote(txn, reads.get(i).key())) {
        return false;
      }
    }
    List<Write> writes = execution.writes();
    for (int i = 0; i < writes.size(); i++) {
      if (!mayVote(txn, writes.get(i).key())) {
        return false;
      }
    }
    List<KeyRange> ranges = execution.ranges();
    for (int i = 0; i < ranges.size(); i++) {
      if (!mayVote(txn, ranges.get(i), execution.scannedUnder())) {
        return false;
      }
    }
    return hasBuckets(txn) || isAllHere(execution);
  }

  /** Whether this partition has buckets under the map of a transaction, not all of them sealed. */
  private boolean hasBuckets(TxnId txn) {
    boolean loses = seal != null && txn.isAfter(seal.cut()) && !seal.has(self.partition());
    return history.at(txn).has(self.partition()) && !loses;
  }

  /**
   * Whether an execution has something at this partition and nothing at others, which would decide
   * that it has aborted if this partition had no buckets.
   */
  private static boolean isAllHere(ExecutionRecord execution) {
    boolean something =
        !execution.reads().isEmpty()
            || !execution.writes().isEmpty()
            || !execution.ranges().isEmpty();
    return something && execution.participants().size() <= 1;
  }

  /**
   * The number of the map of a transaction, if its participants are all partitions of that map;
   * otherwise -1.
   */
  int coveredBy(TxnId txn, List<Integer> participants) {
    ClusterMap map = history.at(txn);
    return participants.containsAll(map.servers().keySet()) ? map.number() : -1;
  }

  /**
   * Whether the other participants are partitions of the map of a transaction, as far as that is
   * known. Otherwise the transaction cannot commit: f+1 replicas of a partition that has lost all
   * buckets have sealed. This partition itself may be older: it holds the records of its maps. One
   * that is not known may be of a later map.
   */
  boolean areOfMap(TxnId txn, List<Integer> participants) {
    if (history.maps().size() == 1) {
      return true;
    }
    ClusterMap map = history.at(txn);
    for (int i = 0; i < participants.size(); i++) {
      int partition = participants.get(i);
      if (partition != self.partition() && knows(partition) && !map.has(partition)) {
        return false;
      }
    }
    return true;
  }

  /** Whether a transaction cannot commit, because its home has no buckets under its map. */
  boolean cannotCommit(TxnId txn) {
    return !areOfMap(txn, List.of(txn.home()));
  }

  private boolean mayVote(TxnId txn, Key key) {
    return holds(txn, key) && !isSealed(txn, key);
  }

  boolean mayVote(TxnId txn, KeyRange range, int scannedUnder) {
    ClusterMap map = history.at(txn);
    ClusterMap next = seal == null || !txn.isAfter(seal.cut()) ? null : seal;
    int bucket = Bucket.of(range);
    if (bucket == Bucket.SEVERAL) {
      boolean sealed = next != null;
      return !sealed && map.number() == scannedUnder;
    }
    return map.partitionOf(bucket) == self.partition()
        && (next == null || next.partitionOf(bucket) == self.partition());
  }

  /**
   * Whether an execution has something in the buckets that a map moves away, or needs the vote of
   * this partition although that map leaves it no buckets.
   */
  boolean moves(ClusterMap map, ExecutionRecord execution) {
    return (!map.has(self.partition()) && !isAllHere(execution))
        || execution.reads().stream().anyMatch(read -> moves(map, read.key()))
        || execution.writes().stream().anyMatch(write -> moves(map, write.key()))
        || execution.ranges().stream().anyMatch(range -> moves(map, range));
  }

  /** Whether a key lies in another partition under a map. The records of maps never move. */
  boolean moves(ClusterMap map, Key key) {
    return !isRecord(key) && map.partitionOf(key) != self.partition();
  }

  private boolean moves(ClusterMap map, KeyRange range) {
    int bucket = Bucket.of(range);
    return bucket == Bucket.SEVERAL || map.partitionOf(bucket) != self.partition();
  }

  /** Whether a map takes buckets from this partition. */
  boolean isSource(ClusterMap map) {
    return map.sources(history.last()).get(self.partition());
  }

  /** A process says that it proposes a map. */
  void propose(ClusterMap map) {
    if (mayChange
        && map.number() > history.closed()
        && map.whyNotAfter(history.last()) == null
        && isSource(map)) {
      upcoming = map;
    }
  }

  /**
   * The map that gives keys of this partition to another one, which copies them; null if there is
   * none. It may be proposed, and not decided yet.
   */
  @Nullable ClusterMap handingTo(int partition) {
    ClusterMap map = history.firstWith(partition);
    ClusterMap next = upcoming;
    if (map == null && next != null && next.number() > history.closed() && next.has(partition)) {
      map = next;
    }
    ClusterMap before = map == null ? null : beforeOf(map);
    return map != null
            && before != null
            && map.number() > dropped()
            && map.sourcesOf(partition, before).get(self.partition())
        ? map
        : null;
  }

  /**
   * Whether a key moves from here with a map. What has moved away before is still here, and old.
   */
  boolean handsOver(Key key, ClusterMap map) {
    ClusterMap before = beforeOf(map);
    return before != null
        && before.partitionOf(key) == self.partition()
        && map.partitionOf(key) != self.partition()
        && !isRecord(key);
  }

  /** The map in which this partition is new; null if it is of the first map, or not decided. */
  @Nullable ClusterMap arrival() {
    ClusterMap first = history.firstWith(self.partition());
    return first == null || first.number() == 0 ? null : first;
  }

  /** The map that comes before another one, which need not be decided; null if it is unknown. */
  private @Nullable ClusterMap beforeOf(ClusterMap map) {
    ClusterMap known = history.before(map);
    return known == null && map.before() == history.last().number() ? history.last() : known;
  }

  /**
   * The map in which this partition is new, decided or only proposed; null if it is of the first
   * map.
   */
  @Nullable ClusterMap newIn() {
    ClusterMap decided = arrival();
    return decided == null && !isOfFirstMap() ? origin : decided;
  }

  /** Whether this partition is one of the first map, which gets its keys from no other. */
  boolean isOfFirstMap() {
    return history.maps().getFirst().has(self.partition());
  }

  /** Whether a key comes to this partition from another one, with the map in which this is new. */
  boolean comesFrom(int partition, Key key) {
    ClusterMap map = newIn();
    ClusterMap before = map == null ? null : beforeOf(map);
    return before != null && before.partitionOf(key) == partition;
  }

  /** The partitions from which this one gets its keys; empty if it is of the first map. */
  BitSet sources() {
    ClusterMap map = newIn();
    ClusterMap before = map == null ? null : beforeOf(map);
    return map == null || before == null ? new BitSet() : map.sourcesOf(self.partition(), before);
  }

  /** What moved away with changes up to this number may be missing here. */
  int dropped() {
    return Math.max(dropped, history.closed());
  }

  /** A peer that this replica copies may have dropped what moved away with changes up to there. */
  void mayLack(int number, Effects out) {
    if (number > dropped) {
      dropped = number;
      out.append(new LogRecord.MapsKnown(history.maps(), history.closed(), dropped));
    }
  }

  /** What a replica that joins must know before it votes; null if the map has never changed. */
  @Nullable MapKnowledge knowledge() {
    if (history.last().number() == 0 && history.closed() == 0 && seal == null) {
      return null;
    }
    return new MapKnowledge(history.maps(), history.closed(), seal);
  }

  /** The cut of the first map above a watermark that has taken buckets from this partition. */
  @Nullable TxnId cutAbove(TxnId watermark) {
    List<ClusterMap> maps = history.maps();
    for (int i = 1; i < maps.size(); i++) {
      if (maps.get(i).cut().isAfter(watermark)
          && maps.get(i).sources(maps.get(i - 1)).get(self.partition())) {
        return maps.get(i).cut();
      }
    }
    return null;
  }

  /** Whether a place in the serial order is the cut of a map that is decided. */
  boolean isCut(TxnId place) {
    return history.maps().stream().anyMatch(map -> map.number() > 0 && map.cut().equals(place));
  }

  // ---- the past -----------------------------------------------------------------------------

  /**
   * The highest number of a map with a cut at or below a watermark that this replica knows, or has
   * sealed for.
   */
  int changeTo(TxnId watermark) {
    ClusterMap sealed = seal;
    int number = history.at(watermark).number();
    return sealed == null || sealed.cut().isAfter(watermark)
        ? number
        : Math.max(number, sealed.number());
  }

  /** f+1 replicas of this partition have fenced a watermark, and know of changes up to a number. */
  void toldOf(TxnId watermark, int number) {
    toldOf = Math.max(toldOf, number);
    toldTo = watermark.isAfter(toldTo) ? watermark : toldTo;
  }

  /**
   * Whether this replica knows all maps that have taken, or will take, keys from its partition at a
   * cut at or below a place. f+1 replicas seal for such a map, with fences below its cut; one of
   * them is among those that have fenced the place.
   */
  boolean knowsTo(TxnId place) {
    int ended = Math.max(history.last().number(), history.closed());
    return !mayChange || (!place.isAfter(toldTo) && toldOf <= ended && !isSealedBelow(place));
  }

  // ---- seals --------------------------------------------------------------------------------

  @Nullable ClusterMap seal() {
    return seal;
  }

  /** Whether keys are about to move at a lower cut. */
  boolean isSealedBelow(TxnId cut) {
    return seal != null && cut.isAfter(seal.cut());
  }

  /** Whether the seal may be acknowledged. */
  boolean sealCounts() {
    return seal != null && counts;
  }

  /**
   * Seals what a map takes from this partition.
   *
   * @param acknowledged whether this replica may acknowledge it
   */
  void seal(ClusterMap map, boolean acknowledged, Effects out) {
    seal = map;
    counts = acknowledged;
    out.append(new LogRecord.Sealed(map, acknowledged));
  }

  /** A peer had this seal. This replica may have acknowledged it, and forgotten that. */
  void adopt(ClusterMap map, Effects out) {
    if (!map.equals(seal)
        && map.number() > history.closed()
        && map.whyNotAfter(history.last()) == null
        && (seal == null || seal.number() < map.number())
        && isSource(map)) {
      seal(map, false, out);
    }
  }

  // ---- news ---------------------------------------------------------------------------------

  /** Takes what another replica knows. Contradictions, which nobody has written, are ignored. */
  void learn(List<ClusterMap> maps, int closed, Horizon horizon, Effects out) {
    try {
      become(history.merged(maps, closed), horizon, out);
    } catch (IllegalArgumentException e) {
      // A map is missing in between: this replica asks again.
    }
  }

  /** A version of a record has committed here. It is the proof of what it says. */
  void onRecord(Key key, Value value, Horizon horizon, Effects out) {
    if (MapRecord.mapOf(key) != history.last().number()) {
      return;
    }
    MapHistory before = history;
    try {
      MapRecord record = MapRecord.of(value);
      ClusterMap change = record.change();
      learn(
          change == null || !record.decided() ? List.of() : List.of(change),
          record.closed(),
          horizon,
          out);
    } catch (IllegalArgumentException e) {
      return; // an operator has written something else
    }
    if (!history.equals(before)) {
      PrimitiveIterator.OfInt all = partitions();
      while (all.hasNext()) {
        out.broadcast(all.nextInt(), news(TxnId.INITIAL, before.last().number()));
      }
    }
  }

  /**
   * What a process does not know that knows the maps up to a number, about a transaction, as far as
   * it fits in one message. The last map is always told in the end: whether a change has been given
   * up or decided, only that map shows. So the end of changes is told with it.
   */
  Maps news(TxnId txn, int known) {
    int from = Math.min(known, history.last().number() - 1);
    List<ClusterMap> told = new ArrayList<>();
    long bytes = 0;
    for (ClusterMap map : history.maps()) {
      if (map.number() > from) {
        bytes += map.storedBytes();
        if (bytes > MOST_BYTES && !told.isEmpty()) {
          return new Maps(txn, told, 0);
        }
        told.add(map);
      }
    }
    return new Maps(txn, told, history.closed());
  }

  /** The last map alone. A process that lacks others before it asks for them. */
  Maps lastOf(TxnId txn) {
    return news(txn, history.last().number());
  }

  private void become(MapHistory next, Horizon horizon, Effects out) {
    if (next.equals(history)) {
      return;
    }
    ReplicaState.mark(next.last().cut(), Branch.MAP_LEARNT, out);
    history = next;
    ClusterMap decided = arrival();
    toldTo = decided != null && decided.cut().isAfter(toldTo) ? decided.cut() : toldTo;
    out.append(new LogRecord.MapsKnown(history.maps(), history.closed(), dropped));
    count(horizon);
    ClusterMap sealed = seal;
    if (sealed != null
        && (sealed.number() <= history.closed() || sealed.number() <= history.last().number())) {
      ReplicaState.mark(sealed.cut(), Branch.SEAL_ENDED, out);
      seal = null;
    }
  }

  /** The transactions that a partition takes part in are above the cut of its first map. */
  void count(Horizon horizon) {
    for (ClusterMap map : history.maps()) {
      for (Map.Entry<Integer, ?> partition : map.servers().entrySet()) {
        if (!partitions.get(partition.getKey()) || map.number() == 0) {
          horizon.count(partition.getKey(), map.cut());
        }
      }
      map.servers().keySet().forEach(partitions::set);
    }
  }

  /** Partitions without buckets count only until they have passed the cut. */
  void retire(Horizon horizon) {
    if (history.maps().size() > 1) {
      partitions.stream()
          .forEach(
              partition -> {
                ClusterMap without = history.firstWithout(partition);
                if (without != null) {
                  boolean complete = history.closed() >= without.number();
                  horizon.retire(partition, complete ? TxnId.INITIAL : without.cut());
                }
              });
    }
  }

  /**
   * What remains of a value when the cluster goes back (section 9). A change that is proposed then
   * is given up: what its process was told no longer holds.
   */
  Value goneBack(Key key, Value value) {
    if (!isRecord(key)) {
      return value;
    }
    try {
      MapRecord record = MapRecord.of(value);
      boolean proposed = record.change() != null && !record.decided();
      return proposed ? record.opened().toValue() : value;
    } catch (IllegalArgumentException e) {
      return value; // an operator has written something else
    }
  }

  // ---- restart ------------------------------------------------------------------------------

  /** The record that this replica is of a new partition; null if it is not. */
  @Nullable LogRecord origin() {
    return origin == null ? null : new LogRecord.Hosted(origin);
  }

  /** Copies that this replica is of a new partition, before all else. */
  void copyOrigin(Consumer<LogRecord> to) {
    LogRecord first = origin();
    if (first != null) {
      to.accept(first);
    }
  }

  void restore(LogRecord.MapsKnown known, Horizon horizon) {
    dropped = Math.max(dropped, known.dropped());
    become(new MapHistory(known.maps(), known.closed()), horizon, NoEffects.INSTANCE);
  }

  void restore(LogRecord.Sealed sealed) {
    if (sealed.map().number() > history.closed()
        && sealed.map().number() > history.last().number()) {
      seal = sealed.map();
      counts = sealed.acknowledged();
    }
  }

  /** Copies what the other two methods restore. */
  void copy(Consumer<LogRecord> to) {
    if (history.maps().size() > 1 || history.closed() > 0 || dropped > 0) {
      to.accept(new LogRecord.MapsKnown(history.maps(), history.closed(), dropped));
    }
    if (seal != null) {
      to.accept(new LogRecord.Sealed(seal, counts));
    }
  }
}
