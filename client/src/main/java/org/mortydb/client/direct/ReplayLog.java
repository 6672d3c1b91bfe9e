package org.mortydb.client.direct;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.engine.TransactionLimits;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/**
 * The memory that makes it cheap to run a body again. It holds the operations of the current
 * execution, under the same places as the attempt on the engine's thread and the coordinator. The
 * attempt compares the place of every {@link Batch} with its own; this log compares the place of
 * every answer.
 *
 * <p>Reads are answered from the log by key, because a read is repeatable within an execution in
 * whatever order the body asks. Writes and scans are compared with the log one by one. The
 * coordinator keeps those before the stale read, so the body has to issue the same ones again. A
 * body that does not has <em>diverged</em>, and the attempt is given up.
 *
 * <p>Between two waits, the log gathers reads and writes into a {@link Batch}: the writes first,
 * then one parallel read. Writes that come after a read was begun stay behind for the next batch,
 * so that the read does not see them.
 */
final class ReplayLog {

  /** An operation that the coordinator has, or is about to be given. */
  private sealed interface Operation {}

  /** A write. */
  record Write(Key key, Value value) implements Operation {}

  /** A parallel read. */
  private static final class Read implements Operation {
    private final List<Key> keys;
    private List<Value> values = List.of();

    Read(List<Key> keys) {
      this.keys = keys;
    }

    @Override
    public String toString() {
      return "a read of " + keys;
    }
  }

  /** A scan. */
  private static final class Scan implements Operation {
    private final KeyRange range;
    private final int limit;
    private List<Row> rows = List.of();

    Scan(KeyRange range, int limit) {
      this.range = range;
      this.limit = limit;
    }

    @Override
    public String toString() {
      return "a scan of " + range;
    }
  }

  /**
   * The operations that go to the coordinator in one turn.
   *
   * @param place how many operations of the current execution went before
   * @param writes in order
   * @param reads read in parallel after the writes; may be empty
   */
  record Batch(int place, List<Write> writes, List<Key> reads) {}

  private final ArrayList<Operation> operations = new ArrayList<>();

  // Of the current run of the body.
  private int replayed;
  private final HashMap<Key, Value> ownWrites = new HashMap<>();
  private final HashMap<Key, Value> known = new HashMap<>();
  private final LinkedHashSet<Key> begun = new LinkedHashSet<>();
  private ArrayList<Write> writes = new ArrayList<>();
  private ArrayList<Write> laterWrites = new ArrayList<>();
  private int keys;
  private int scans;
  private int writtenBytes;
  private int mergedBytes;
  private boolean diverged;

  /**
   * What the coordinator's value of each key contains, of those that were read before this run: the
   * merges before the read, or {@link Value#ABSENT} for none.
   */
  private final HashMap<Key, Value> contained = new HashMap<>();

  /** What the body of this run has read, or begun to read, from the store. */
  private final HashSet<Key> asked = new HashSet<>();

  /** Forgets everything, for a new attempt. */
  void reset() {
    operations.clear();
    rewind();
  }

  /** Goes back to the start of the body. */
  void rewind() {
    replayed = 0;
    ownWrites.clear();
    known.clear();
    begun.clear();
    writes.clear();
    laterWrites.clear();
    keys = 0;
    scans = 0;
    writtenBytes = 0;
    mergedBytes = 0;
    diverged = false;
    asked.clear();
    contained.clear();
    HashMap<Key, Value> written = new HashMap<>();
    for (Operation operation : operations) {
      switch (operation) {
        case Read read -> {
          keys += read.keys.size();
          remember(read);
          read.keys.forEach(key -> contained.put(key, written.getOrDefault(key, Value.ABSENT)));
        }
        case Scan _ -> keys++;
        case Write write -> written.merge(write.key, write.value, ReplayLog::then);
      }
    }
  }

  private void remember(Read read) {
    for (int i = 0; i < read.keys.size(); i++) {
      known.put(read.keys.get(i), read.values.get(i));
    }
  }

  /**
   * The value that the body sees at {@code key}, which it reads; null when only the store knows it.
   * What the body has merged into a key before it first reads the key is a part of the store's
   * answer. If the answer is that to an earlier run, which had merged something else before, this
   * run has left its path.
   */
  @Nullable Value seen(Key key) {
    Value own = ownWrites.get(key);
    if (own != null && !own.isMerge()) {
      return own;
    }
    asked.add(key);
    diverged |= own != null && !own.equals(contained.getOrDefault(key, own));
    return known.get(key);
  }

  /** Whether the body has neither read nor put a key, so that it may merge into it. */
  boolean mayMerge(Key key) {
    Value own = ownWrites.get(key);
    return (own == null || own.isMerge()) && !asked.contains(key);
  }

  /**
   * Whether the body has merged into a key after it began reads that it has not waited for. A read
   * of the key must not join these: it would miss the merge.
   */
  boolean mergesAfterReads(Key key) {
    for (Write write : laterWrites) {
      if (write.key.equals(key) && write.value.isMerge()) {
        return true;
      }
    }
    return false;
  }

  /**
   * The value that the store had at {@code key}, without own writes after the read; null when not
   * read yet.
   */
  @Nullable Value stored(Key key) {
    return known.get(key);
  }

  /** Adds {@code key} to the reads of the next batch. */
  void begin(Key key) {
    if (!begun.contains(key)) {
      countOne();
      begun.add(key);
    }
  }

  /** Counts an operation, unless it is one too many. */
  private void countOne() {
    TransactionLimits.checkOperations(keys, 1);
    keys++;
  }

  boolean hasBegunReads() {
    return !begun.isEmpty();
  }

  void write(Key key, Value value) {
    int bytes = writtenBytes + key.size() + value.size();
    int merged = mergedBytes + (value.isMerge() ? value.size() : 0);
    TransactionLimits.checkMerged(key, merged);
    TransactionLimits.checkWritten(key, bytes);
    countOne();
    writtenBytes = bytes;
    mergedBytes = merged;
    ownWrites.merge(key, value, ReplayLog::then);
    Write write = new Write(key, value);
    Operation expected = nextReplayed();
    if (expected != null) {
      diverged |= !expected.equals(write);
      replayed++;
    } else if (begun.isEmpty()) {
      writes.add(write);
    } else {
      laterWrites.add(write);
    }
  }

  /** What a write leaves of an earlier one of the same key. */
  private static Value then(Value own, Value next) {
    return next.isMerge() ? Merge.then(own, next) : next;
  }

  /** The next write or scan that the coordinator has, or null. */
  private @Nullable Operation nextReplayed() {
    for (; replayed < operations.size(); replayed++) {
      if (!(operations.get(replayed) instanceof Read)) {
        return operations.get(replayed);
      }
    }
    return null;
  }

  /** The number of scans that this run has begun. */
  int scans() {
    return scans;
  }

  /** The rows of a scan that the coordinator has already; null when only the store knows them. */
  @Nullable List<Row> replayScan(KeyRange range, int limit) {
    scans++;
    Operation expected = nextReplayed();
    if (expected instanceof Scan scan && scan.range.equals(range) && scan.limit == limit) {
      replayed++;
      return scan.rows;
    }
    diverged |= expected != null;
    return null;
  }

  /** Takes the gathered writes, and a scan after them. */
  Batch takeScan(KeyRange range, int limit) {
    countOne();
    Batch batch = take();
    operations.add(new Scan(range, limit));
    replayed = operations.size();
    return batch;
  }

  /** The rows of the scan that was taken last. */
  List<Row> lastScan() {
    return scanAt(operations.size() - 1).rows;
  }

  /** Whether this run has left the path of the one that the coordinator's operations come from. */
  boolean hasDiverged() {
    return diverged || nextReplayed() != null;
  }

  /** Takes the gathered operations. The body must not have diverged. */
  Batch take() {
    Batch batch = new Batch(operations.size(), writes, List.copyOf(begun));
    operations.addAll(writes);
    if (!begun.isEmpty()) {
      operations.add(new Read(batch.reads));
    }
    replayed = operations.size();
    begun.clear();
    writes = laterWrites;
    laterWrites = new ArrayList<>();
    return batch;
  }

  /** Takes the answer to the read of the last batch. */
  void answer(int place, List<Value> values) {
    checkLast(place);
    Read read = readAt(place, values.size());
    read.values = values;
    remember(read);
  }

  /**
   * Takes the new answer to a read that became stale, and drops the operations after it. Takes
   * effect with {@link #rewind}.
   */
  void unroll(int place, List<Value> values) {
    readAt(place, values.size()).values = values;
    dropAfter(place);
  }

  /** Takes the answer to the scan that was taken last. */
  void answerScan(int place, List<Row> rows) {
    checkLast(place);
    scanAt(place).rows = rows;
  }

  /** Takes the new answer to a scan that became stale, as {@link #unroll} does to a read. */
  void unrollScan(int place, List<Row> rows) {
    scanAt(place).rows = rows;
    dropAfter(place);
  }

  private void dropAfter(int place) {
    operations.subList(place + 1, operations.size()).clear();
  }

  private void checkLast(int place) {
    if (place != operations.size() - 1) {
      throw mismatch(place, "the last one");
    }
  }

  private Scan scanAt(int place) {
    if (place < operations.size() && operations.get(place) instanceof Scan scan) {
      return scan;
    }
    throw mismatch(place, "a scan");
  }

  private Read readAt(int place, int values) {
    if (place < operations.size()
        && operations.get(place) instanceof Read read
        && read.keys.size() == values) {
      return read;
    }
    throw mismatch(place, "a read of " + values + " keys");
  }

  private IllegalStateException mismatch(int place, String expected) {
    return new IllegalStateException(
        "the client answered operation "
            + place
            + " of a transaction's body, but that is not "
            + expected
            + ": the body's thread has recorded "
            + operations.size()
            + " operations"
            + (place < operations.size() ? ", there " + operations.get(place) : ""));
  }
}
