package org.mortydb.peers.cassandra;

import it.unimi.dsi.fastutil.longs.Long2LongMap;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongHeapPriorityQueue;
import it.unimi.dsi.fastutil.longs.LongList;
import it.unimi.dsi.fastutil.longs.LongListIterator;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.mortydb.protocol.model.Key;

/**
 * Finds an order in which transactions ought to be serial from the versions that they have read and
 * overwritten, for a store that does not tell. A version's number is that of the transaction that
 * wrote it, so the order of a key's versions is known, and with it who has to come before whom:
 *
 * <ul>
 *   <li>the writer of a version before those that read it and before the one that overwrote it;
 *   <li>those that read a version before the one that overwrote it.
 * </ul>
 *
 * <p>This is the direct serialization graph. The order proves nothing by itself: it is for a replay
 * to judge. When the graph has a cycle there is none; what is in cycles then comes last, and the
 * replay finds what is wrong. Safe for use by several threads until it is asked for the order.
 */
final class VersionOrder {
  /** In place of the version that was overwritten, when that is not known. */
  static final long NOT_KNOWN = -1;

  private static final long NOBODY = -1;

  /** What one transaction has seen of one key. */
  private record Seen(Key key, long version) {}

  private record Observed(long number, boolean certain, List<Seen> read, List<Seen> overwritten) {}

  private final List<Observed> observed = new ArrayList<>();

  /**
   * A transaction has committed, or may have.
   *
   * @param certain whether it has; one of which that is not known counts if a version of its was
   *     seen
   * @param number its number, positive, which is the version of all that it wrote
   * @param read the versions that it read, 0 for a key that held nothing
   * @param overwritten the versions that it replaced, 0 likewise, or {@link #NOT_KNOWN}
   */
  synchronized void add(
      long number, boolean certain, Map<Key, Long> read, Map<Key, Long> overwritten) {
    observed.add(new Observed(number, certain, seen(read), seen(overwritten)));
  }

  private static List<Seen> seen(Map<Key, Long> versions) {
    List<Seen> seen = new ArrayList<>(versions.size());
    versions.forEach((key, version) -> seen.add(new Seen(key, version)));
    return seen;
  }

  /** The place of each transaction, by its number; places count from 1. */
  synchronized Long2LongMap places() {
    Long2ObjectMap<LongList> after = new Long2ObjectOpenHashMap<>();
    Long2LongOpenHashMap before = new Long2LongOpenHashMap();
    for (Observed txn : observed) {
      before.put(txn.number, 0);
    }
    List<Observed> counted = counted();
    Map<Seen, Long> successors = successors(counted);
    for (Observed txn : counted) {
      for (Seen seen : txn.read) {
        edge(seen.version, txn.number, after, before);
        edge(txn.number, successors.getOrDefault(seen, NOBODY), after, before);
      }
      for (Seen seen : txn.overwritten) {
        edge(seen.version, txn.number, after, before);
      }
    }
    return sorted(after, before);
  }

  /** Those that have committed: what one that did not take place replaced, somebody else did. */
  private List<Observed> counted() {
    LongOpenHashSet seen = new LongOpenHashSet();
    for (Observed txn : observed) {
      if (txn.certain) {
        txn.read.forEach(read -> seen.add(read.version));
        txn.overwritten.forEach(written -> seen.add(written.version));
      }
    }
    return observed.stream().filter(txn -> txn.certain || seen.contains(txn.number)).toList();
  }

  /** Who replaced each version; versions that somebody unknown replaced get him if he is alone. */
  private static Map<Seen, Long> successors(List<Observed> counted) {
    Map<Seen, Long> successors = new HashMap<>();
    Map<Key, LongList> withoutPredecessor = new HashMap<>();
    for (Observed txn : counted) {
      for (Seen seen : txn.overwritten) {
        if (seen.version == NOT_KNOWN) {
          withoutPredecessor.computeIfAbsent(seen.key, key -> new LongArrayList()).add(txn.number);
        } else {
          successors.putIfAbsent(seen, txn.number);
        }
      }
    }
    withoutPredecessor.forEach(
        (key, writers) -> {
          long last = 0;
          for (Long next = successors.get(new Seen(key, last));
              next != null;
              next = successors.get(new Seen(key, last))) {
            last = next;
          }
          if (writers.size() == 1 && last != writers.getLong(0)) {
            successors.put(new Seen(key, last), writers.getLong(0));
          }
        });
    return successors;
  }

  /** Adds an edge between transactions that are both known. */
  private static void edge(
      long first, long second, Long2ObjectMap<LongList> after, Long2LongOpenHashMap before) {
    if (first != second && before.containsKey(first) && before.containsKey(second)) {
      after.computeIfAbsent(first, number -> new LongArrayList()).add(second);
      before.addTo(second, 1);
    }
  }

  /** Sorts topologically; of those that may come next the lowest number does. */
  private static Long2LongMap sorted(Long2ObjectMap<LongList> after, Long2LongOpenHashMap before) {
    Long2LongOpenHashMap places = new Long2LongOpenHashMap(before.size());
    LongHeapPriorityQueue ready = new LongHeapPriorityQueue();
    for (Long2LongMap.Entry entry : before.long2LongEntrySet()) {
      if (entry.getLongValue() == 0) {
        ready.enqueue(entry.getLongKey());
      }
    }
    long place = 0;
    while (!ready.isEmpty()) {
      long number = ready.dequeueLong();
      places.put(number, ++place);
      LongList next = after.get(number);
      if (next != null) {
        for (LongListIterator it = next.iterator(); it.hasNext(); ) {
          long other = it.nextLong();
          if (before.addTo(other, -1) == 1) {
            ready.enqueue(other);
          }
        }
      }
    }
    for (long number : before.keySet().toLongArray()) {
      if (!places.containsKey(number)) {
        places.put(number, ++place);
      }
    }
    return places;
  }
}
