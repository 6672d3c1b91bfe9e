package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.table.HashIndex;

/**
 * The records of a replica, by transaction, and in buckets in the order of their ids: truncation
 * goes through them from the oldest on.
 *
 * <p>A transaction that is decided and installed is kept for the retention time, but nothing about
 * it changes any more, except that its execution is forgotten. So it comes to <em>rest</em> at the
 * end of the step: it is a row of bytes from then on, which takes less memory than objects, and
 * which the collector does not look at. Who asks for it gets another {@link TxnRecord} each time,
 * which tells what the row tells.
 */
final class RecordTable {
  /** Ids of one bucket share this many microseconds. */
  static final long BUCKET_MICROS = 50_000;

  /** The records that are not at rest. */
  private final HashMap<TxnId, TxnRecord> awake = new HashMap<>();

  private final RecordRows rows;

  RecordTable(RowLimits limits) {
    rows = new RecordRows(limits.pageBytes());
  }

  private final HashIndex<TxnId> resting =
      new HashIndex<>() {
        @Override
        protected int hash(int row) {
          return rows.id(row).hashCode();
        }

        @Override
        protected boolean isNamed(int row, TxnId id) {
          return rows.id(row).equals(id);
        }
      };

  /** Records that were installed since the last {@link #rest}. */
  private final ArrayList<TxnRecord> installed = new ArrayList<>();

  private final TreeMap<Long, Bucket> buckets = new TreeMap<>();

  // Most records belong to the bucket of the record added before.
  private long lastNumber = Long.MIN_VALUE;
  private Bucket lastBucket = new Bucket(0);

  /** The latest mark in the log; see {@link Replica#mark}. */
  private int mark;

  /** Records of one stretch of time. */
  private static final class Bucket {
    private static final int[] NO_ROWS = new int[0];

    /** The latest mark in the log when the bucket got its first record. */
    final int mark;

    /** Those that are not at rest; each knows its place. */
    final ArrayList<TxnRecord> awake = new ArrayList<>();

    int[] rows = NO_ROWS;
    int resting;

    /** Whether a row may have an execution. */
    boolean hasExecutions;

    Bucket(int mark) {
      this.mark = mark;
    }

    int size() {
      return awake.size() + resting;
    }

    void add(TxnRecord txn) {
      txn.place(awake.size());
      awake.add(txn);
    }

    /** Removes a record; the last one comes to its place. */
    void remove(TxnRecord txn) {
      TxnRecord last = awake.removeLast();
      if (last != txn) {
        last.place(txn.place());
        awake.set(txn.place(), last);
      }
    }

    void add(int row) {
      if (resting == rows.length) {
        rows = Arrays.copyOf(rows, Math.max(8, 2 * resting));
      }
      rows[resting++] = row;
      hasExecutions = true;
    }
  }

  /** The log has been marked: buckets that are created from now on are later than the mark. */
  void mark(int number) {
    mark = number;
  }

  /**
   * Goes through the records that may have been logged before a mark, in a fixed order. A record is
   * logged when it is in the table, so a bucket that is later than the mark has none of them.
   */
  void before(int number, Consumer<TxnRecord> to) {
    for (Bucket bucket : buckets.values()) {
      if (bucket.mark < number) {
        for (int i = 0; i < bucket.resting; i++) {
          to.accept(rows.load(bucket.rows[i]));
        }
        bucket.awake.forEach(to);
      }
    }
  }

  /** The record of a transaction, or null. Of one at rest, it must not be kept beyond the step. */
  @Nullable TxnRecord get(TxnId id) {
    TxnRecord txn = awake.get(id);
    if (txn == null) {
      int row = resting.find(id, id.hashCode());
      return row == HashIndex.NONE ? null : rows.load(row);
    }
    return txn;
  }

  /** Adds the record of a transaction that has none. */
  void add(TxnRecord txn) {
    awake.put(txn.id(), txn);
    long number = bucketOf(txn.id());
    if (number != lastNumber) {
      lastBucket = buckets.computeIfAbsent(number, n -> new Bucket(mark));
      lastNumber = number;
    }
    lastBucket.add(txn);
  }

  /** Removes the record of a transaction that is not at rest. */
  void remove(TxnRecord txn) {
    awake.remove(txn.id());
    long number = bucketOf(txn.id());
    Bucket bucket = buckets.get(number);
    if (bucket == null) {
      return;
    }
    bucket.remove(txn);
    if (bucket.size() == 0) {
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
    return awake.size() + resting.size();
  }

  /** All records that are not at rest, in no order that may reach an effect. */
  Collection<TxnRecord> awake() {
    return Collections.unmodifiableCollection(awake.values());
  }

  // ---- rest ---------------------------------------------------------------------------------

  /** A transaction is decided and installed: it comes to rest at the end of the step. */
  void installed(TxnRecord txn) {
    installed.add(txn);
  }

  /** Puts to rest what may. To be called between two steps, or at the end of one. */
  void rest() {
    for (int i = 0; i < installed.size(); i++) {
      TxnRecord txn = installed.get(i);
      Bucket bucket = buckets.get(bucketOf(txn.id()));
      if (bucket != null && txn.mayRest() && awake.get(txn.id()) == txn) {
        rest(txn, bucket);
      }
    }
    installed.clear();
  }

  private void rest(TxnRecord txn, Bucket bucket) {
    int row = rows.add(txn);
    if (row >= 0) {
      awake.remove(txn.id());
      bucket.remove(txn);
      resting.add(row);
      bucket.add(row);
      txn.forgetExecution(); // queues may hold the record for a while
    }
  }

  // ---- in order -----------------------------------------------------------------------------

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
      addBetween(from, to, bucket, found);
    }
    return found;
  }

  private void addBetween(TxnId from, TxnId to, Bucket bucket, List<TxnRecord> found) {
    for (int i = 0; i < bucket.resting; i++) {
      int row = bucket.rows[i];
      if (rows.isAfter(row, from) && !rows.isAfter(row, to)) {
        found.add(rows.load(row));
      }
    }
    for (TxnRecord txn : bucket.awake) {
      if (txn.id().isAfter(from) && !txn.id().isAfter(to)) {
        found.add(txn);
      }
    }
  }

  /**
   * A place up to which a message can tell the outcomes of the records above {@code from}.
   *
   * @param to the highest place that will do
   * @param mostBytes about how many bytes the message may have; the records of one microsecond may
   *     take more
   * @return a place above {@code from}; {@code to} if that is not above {@code from}
   */
  TxnId upTo(TxnId from, TxnId to, long mostBytes) {
    if (!to.isAfter(from)) {
      return to;
    }
    long left = mostBytes;
    for (var entry : buckets.subMap(bucketOf(from), true, bucketOf(to), true).entrySet()) {
      ArrayList<TxnRecord> found = new ArrayList<>();
      addBetween(from, to, entry.getValue(), found);
      long bytes = 0;
      for (TxnRecord txn : found) {
        bytes += txn.standingBytes();
      }
      if (bytes > left) {
        return left < mostBytes
            ? new TxnId(entry.getKey() * BUCKET_MICROS - 1, Long.MAX_VALUE, 0)
            : withinBucket(found, to, mostBytes);
      }
      left -= bytes;
    }
    return to;
  }

  private static TxnId withinBucket(List<TxnRecord> found, TxnId to, long mostBytes) {
    found.sort(Comparator.comparing(TxnRecord::id));
    long firstMicros = found.getFirst().id().timeMicros();
    long bytes = 0;
    for (TxnRecord txn : found) {
      bytes += txn.standingBytes();
      long micros = txn.id().timeMicros();
      if (bytes > mostBytes && micros > firstMicros) {
        return new TxnId(micros - 1, Long.MAX_VALUE, 0);
      }
    }
    TxnId first = new TxnId(firstMicros, Long.MAX_VALUE, 0);
    return first.isAfter(to) ? to : first;
  }

  /**
   * The end of the first bucket by which there are {@code atLeast} records above {@code from}.
   *
   * @param atLeast at least 1
   */
  TxnId after(TxnId from, int atLeast) {
    int seen = 0;
    for (var entry : buckets.tailMap(bucketOf(from), true).entrySet()) {
      Bucket bucket = entry.getValue();
      for (int i = 0; i < bucket.resting; i++) {
        seen += rows.isAfter(bucket.rows[i], from) ? 1 : 0;
      }
      for (TxnRecord txn : bucket.awake) {
        seen += txn.id().isAfter(from) ? 1 : 0;
      }
      if (seen >= atLeast) {
        long endMicros = (entry.getKey() + 1) * BUCKET_MICROS - 1;
        return new TxnId(Math.min(endMicros, Limits.MAX_TIME_MICROS), Long.MAX_VALUE, 0);
      }
    }
    return TxnId.HIGHEST;
  }

  /**
   * The lowest open transaction above {@code from}, up to the bucket of a time.
   *
   * @return null if there is none
   */
  @Nullable TxnId lowestOpen(TxnId from, long upToMicros) {
    long last = Math.floorDiv(upToMicros, BUCKET_MICROS);
    for (var entry : buckets.tailMap(bucketOf(from), true).entrySet()) {
      if (entry.getKey() > last) {
        break;
      }
      TxnId lowest = null;
      for (TxnRecord txn : entry.getValue().awake) {
        if (txn.id().isAfter(from)
            && (lowest == null || txn.id().isBefore(lowest))
            && txn.isOpen()) {
          lowest = txn.id();
        }
      }
      if (lowest != null) {
        return lowest;
      }
    }
    return null;
  }

  /**
   * Open transactions above {@code from}, up to a time.
   *
   * @param most how many at most
   */
  List<TxnRecord> open(TxnId from, long upToMicros, int most) {
    long last = Math.floorDiv(upToMicros, BUCKET_MICROS);
    ArrayList<TxnRecord> open = new ArrayList<>();
    for (var entry : buckets.tailMap(bucketOf(from), true).entrySet()) {
      if (entry.getKey() > last || open.size() >= most) {
        break;
      }
      for (TxnRecord txn : entry.getValue().awake) {
        if (open.size() < most
            && txn.id().isAfter(from)
            && txn.id().timeMicros() <= upToMicros
            && txn.isOpen()) {
          open.add(txn);
        }
      }
    }
    return open;
  }

  /** The records above {@code from}. */
  List<TxnRecord> above(TxnId from) {
    return between(from, TxnId.HIGHEST);
  }

  /** Whether there are at least so many records above {@code from}, or in the bucket of it. */
  boolean hasAbove(TxnId from, int atLeast) {
    int seen = 0;
    for (Bucket bucket : buckets.tailMap(bucketOf(from), true).values()) {
      seen += bucket.size();
      if (seen >= atLeast) {
        return true;
      }
    }
    return false;
  }

  // ---- forgetting ---------------------------------------------------------------------------

  /** Removes the records at or below {@code to} that are not installed. */
  void removeUninstalled(TxnId to, Consumer<TxnRecord> removed) {
    var old = buckets.headMap(bucketOf(to), true).entrySet().iterator();
    while (old.hasNext()) {
      var entry = old.next();
      removeIf(
          entry.getValue(),
          txn -> {
            boolean drops = !txn.id().isAfter(to) && !txn.isInstalled();
            if (drops) {
              removed.accept(txn);
            }
            return drops;
          });
      if (entry.getValue().size() == 0) {
        removed(entry.getKey());
        old.remove();
      }
    }
  }

  /**
   * Forgets the executions of records at or below one transaction; and those of these records that
   * are at or below another one.
   */
  void forget(TxnId executions, TxnId outcomes) {
    TxnId records = outcomes.isAfter(executions) ? executions : outcomes;
    var old = buckets.headMap(bucketOf(executions), true).entrySet().iterator();
    while (old.hasNext()) {
      var entry = old.next();
      Bucket bucket = entry.getValue();
      removeIf(
          bucket,
          txn -> {
            if (!txn.id().isAfter(executions)) {
              txn.forgetExecution();
            }
            return !txn.id().isAfter(records);
          });
      if (bucket.hasExecutions || entry.getKey() <= bucketOf(records)) {
        forgetRows(bucket, executions, records);
      }
      if (bucket.size() == 0) {
        removed(entry.getKey());
        old.remove();
      }
    }
  }

  private void removeIf(Bucket bucket, Predicate<TxnRecord> condition) {
    int kept = 0;
    for (int i = 0; i < bucket.awake.size(); i++) {
      TxnRecord txn = bucket.awake.get(i);
      if (condition.test(txn)) {
        awake.remove(txn.id());
      } else {
        txn.place(kept);
        bucket.awake.set(kept++, txn);
      }
    }
    bucket.awake.subList(kept, bucket.awake.size()).clear();
  }

  private void forgetRows(Bucket bucket, TxnId executions, TxnId records) {
    int kept = 0;
    bucket.hasExecutions = false;
    for (int i = 0; i < bucket.resting; i++) {
      int row = bucket.rows[i];
      if (!rows.isAfter(row, records)) {
        resting.remove(row);
        rows.remove(row);
        continue;
      }
      if (rows.isAfter(row, executions)) {
        bucket.hasExecutions = true;
      } else {
        rows.forgetExecution(row);
      }
      bucket.rows[kept++] = row;
    }
    bucket.resting = kept;
  }
}
