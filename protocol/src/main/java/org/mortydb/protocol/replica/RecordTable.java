package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.TxnId;

/**
 * The records of a replica, by transaction, and in buckets in the order of their ids: truncation
 * goes through them from the oldest on.
 */
final class RecordTable {
  /** Ids of one bucket share this many microseconds. */
  static final long BUCKET_MICROS = 50_000;

  private final HashMap<TxnId, TxnRecord> byId = new HashMap<>();
  private final TreeMap<Long, Bucket> buckets = new TreeMap<>();

  // Most records belong to the bucket of the record added before.
  private long lastNumber = Long.MIN_VALUE;
  private Bucket lastBucket = new Bucket(0);

  /** The latest mark in the log; see {@link Replica#mark}. */
  private int mark;

  /** Records of one stretch of time. */
  private static final class Bucket {
    /** The latest mark in the log when the bucket got its first record. */
    final int mark;

    final ArrayList<TxnRecord> records = new ArrayList<>();

    Bucket(int mark) {
      this.mark = mark;
    }
  }

  /** The log has been marked: buckets that are created from now on are later than the mark. */
  void mark(int number) {
    mark = number;
  }

  /**
   * The records that may have been logged before a mark, in a fixed order. A record is logged when
   * it is in the table, so a bucket that is later than the mark has none of them.
   */
  List<TxnRecord> before(int number) {
    ArrayList<TxnRecord> found = new ArrayList<>();
    for (Bucket bucket : buckets.values()) {
      if (bucket.mark < number) {
        found.addAll(bucket.records);
      }
    }
    return found;
  }

  @Nullable TxnRecord get(TxnId id) {
    return byId.get(id);
  }

  /** Adds the record of a transaction that has none. */
  void add(TxnRecord txn) {
    byId.put(txn.id(), txn);
    long number = bucketOf(txn.id());
    if (number != lastNumber) {
      lastBucket = buckets.computeIfAbsent(number, n -> new Bucket(mark));
      lastNumber = number;
    }
    lastBucket.records.add(txn);
  }

  /** Removes the record of a transaction. */
  void remove(TxnRecord txn) {
    byId.remove(txn.id());
    long number = bucketOf(txn.id());
    Bucket bucket = buckets.get(number);
    if (bucket == null) {
      return;
    }
    int index = bucket.records.lastIndexOf(txn);
    if (index >= 0) {
      bucket.records.remove(index);
    }
    if (bucket.records.isEmpty()) {
      removed(number);
      buckets.remove(number);
    }
  }

  private void removed(long number) {
    if (number == lastNumber) {
      lastNumber = Long.MIN_VALUE;
    }
  }

  private static long bucketOf(TxnId id) {
    return Math.floorDiv(id.timeMicros(), BUCKET_MICROS);
  }

  int size() {
    return byId.size();
  }

  /** All records, in no order that may reach an effect. */
  Collection<TxnRecord> all() {
    return Collections.unmodifiableCollection(byId.values());
  }

  /** A lower bound on the times of all records; {@link Long#MAX_VALUE} if there is none. */
  long oldestMicros() {
    return buckets.isEmpty() ? Long.MAX_VALUE : buckets.firstKey() * BUCKET_MICROS;
  }

  /** The records above {@code from} that are at or below {@code to}; in a fixed order. */
  List<TxnRecord> between(TxnId from, TxnId to) {
    ArrayList<TxnRecord> found = new ArrayList<>();
    if (!to.isAfter(from)) {
      return found;
    }
    for (Bucket bucket : buckets.subMap(bucketOf(from), true, bucketOf(to), true).values()) {
      for (TxnRecord txn : bucket.records) {
        if (txn.id().isAfter(from) && !txn.id().isAfter(to)) {
          found.add(txn);
        }
      }
    }
    return found;
  }

  /**
   * The end of the first bucket by which there are {@code atLeast} records above {@code from}.
   *
   * @param atLeast at least 1
   */
  TxnId after(TxnId from, int atLeast) {
    int seen = 0;
    for (var bucket : buckets.tailMap(bucketOf(from), true).entrySet()) {
      for (TxnRecord txn : bucket.getValue().records) {
        seen += txn.id().isAfter(from) ? 1 : 0;
      }
      if (seen >= atLeast) {
        long endMicros = (bucket.getKey() + 1) * BUCKET_MICROS - 1;
        return new TxnId(Math.min(endMicros, Limits.MAX_TIME_MICROS), Long.MAX_VALUE, 0);
      }
    }
    return new TxnId(Limits.MAX_TIME_MICROS, Long.MAX_VALUE, 0);
  }

  /** The records above {@code from}. */
  List<TxnRecord> above(TxnId from) {
    ArrayList<TxnRecord> found = new ArrayList<>();
    for (Bucket bucket : buckets.tailMap(bucketOf(from), true).values()) {
      for (TxnRecord txn : bucket.records) {
        if (txn.id().isAfter(from)) {
          found.add(txn);
        }
      }
    }
    return found;
  }

  /** Whether there are at least so many records above {@code from}, or in the bucket of it. */
  boolean hasAbove(TxnId from, int atLeast) {
    int seen = 0;
    for (Bucket bucket : buckets.tailMap(bucketOf(from), true).values()) {
      seen += bucket.records.size();
      if (seen >= atLeast) {
        return true;
      }
    }
    return false;
  }

  /** Removes the records at or below {@code to} for which {@code condition} is true. */
  void removeIf(TxnId to, Predicate<TxnRecord> condition) {
    var old = buckets.headMap(bucketOf(to), true).entrySet().iterator();
    while (old.hasNext()) {
      var bucket = old.next();
      bucket
          .getValue()
          .records
          .removeIf(
              txn -> {
                boolean removed = !txn.id().isAfter(to) && condition.test(txn);
                if (removed) {
                  byId.remove(txn.id());
                }
                return removed;
              });
      if (bucket.getValue().records.isEmpty()) {
        removed(bucket.getKey());
        old.remove();
      }
    }
  }
}
