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
 * Derives a serial order of transactions from the versions that they have read and overwritten, for
 * a store that does not reveal it. The number of a version is that of its writer. So the order of a
 * key's versions is known, and with it the dependencies:
 *
 * <ul>
 *   <li>the writer of a version comes before its readers and its overwriter;
 *   <li>the readers of a version come before its overwriter.
 * </ul>
 *
 * <p>This is the direct serialization graph. The order proves nothing by itself; a replay checks
 * it. If the graph has cycles, their transactions come last, and the replay finds the violation.
 * Thread-safe until it returns the order.
 */
final class VersionOrder {
  /** An unknown overwritten version. */
  static final long NOT_KNOWN = -1;

  private static final long NOBODY = -1;

  /** The version of a key that a transaction has seen. */
  private record Seen(Key key, long version) {}

  private record Observed(long number, boolean certain, List<Seen> read, List<Seen> overwritten) {}

  private final List<Observed> observed = new ArrayList<>();

  /**
   * Adds a transaction that has committed or may have committed.
   *
   * @param number its number, which is positive and the version of all its writes
   * @param certain whether it has committed; otherwise it counts if another one saw its version
   * @param read the versions read; 0 for an absent key
   * @param overwritten the versions overwritten; 0 for an absent key, or {@link #NOT_KNOWN}
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

  /** The position of each transaction by its number, from 1. */
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

  /** The committed transactions: the certain ones, and others whose version was seen. */
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

  /** The overwriter of each version; the only writer without a predecessor follows the last one. */
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

  /** Adds an edge between two known transactions. */
  private static void edge(
      long first, long second, Long2ObjectMap<LongList> after, Long2LongOpenHashMap before) {
    if (first != second && before.containsKey(first) && before.containsKey(second)) {
      after.computeIfAbsent(first, number -> new LongArrayList()).add(second);
      before.addTo(second, 1);
    }
  }

  /** Sorts topologically; the lowest possible number comes next. */
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
