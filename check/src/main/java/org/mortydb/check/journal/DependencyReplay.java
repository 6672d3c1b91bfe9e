package org.mortydb.check.journal;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.anomaly.OutcomeSource;
import org.mortydb.check.anomaly.Verdict;
import org.mortydb.check.anomaly.VersionOrderChecker;
import org.mortydb.check.history.HistoryRecorder;
import org.mortydb.check.history.Status;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Checks a whole history by the dependencies between its transactions, for systems whose positions
 * are no serial order. See {@link VersionOrderChecker}.
 *
 * <p>Unlike {@link SerialReplay} it holds the history in memory, some 100 bytes per read.
 */
final class DependencyReplay {
  /** The id of a version within its transaction: a transaction leaves one of each record. */
  private static final int VALUE_ID = 1;

  private final Long2ObjectOpenHashMap<TxnId> writers = new Long2ObjectOpenHashMap<>();
  private final Long2ObjectOpenHashMap<Key> keys = new Long2ObjectOpenHashMap<>();
  private final LongFunction<String> recordName;

  private DependencyReplay(LongFunction<String> recordName) {
    this.recordName = recordName;
  }

  /** The verdict, and the number of transactions with unknown outcome. */
  record Result(Verdict verdict, long unknown) {}

  /** Checks closed logs that together contain every transaction since the store was empty. */
  static Result check(List<HistoryLog> logs, LongFunction<String> recordName) throws IOException {
    DependencyReplay replay = new DependencyReplay(recordName);
    try (HistoryReader reader = new HistoryReader(logs)) {
      for (ObservedTransaction t = reader.next(); t != null; t = reader.next()) {
        replay.writers.put(stamp(t.session(), t.sequence()), t.id());
      }
    }
    HistoryRecorder recorder = new HistoryRecorder();
    long unknown = 0;
    try (HistoryReader reader = new HistoryReader(logs)) {
      for (ObservedTransaction t = reader.next(); t != null; t = reader.next()) {
        Status status = t.certain() ? Status.COMMITTED : Status.UNKNOWN;
        unknown += t.certain() ? 0 : 1;
        recorder.record(t.session(), 0, 0, t.id(), status, replay.reads(t), replay.writes(t));
      }
    }
    return new Result(VersionOrderChecker.check(recorder.finish(), OutcomeSource.NONE), unknown);
  }

  private List<VersionedValue> reads(ObservedTransaction t) {
    List<VersionedValue> reads = new ArrayList<>();
    for (@Nullable ObservedRead r = t.lastRead(); r != null; r = r.previous()) {
      boolean isAbsent = r.writerSession() == ObservedRead.ABSENT;
      long stamp = stamp(r.writerSession(), r.writerSequence());
      // A stamp that no transaction has left has no writer in the history.
      TxnId writer = writers.getOrDefault(stamp, new TxnId(1, stamp, 0));
      reads.add(
          new VersionedValue(
              key(r.record()),
              isAbsent ? WriteId.INITIAL : new WriteId(writer, VALUE_ID),
              isAbsent ? Value.ABSENT : value(r.valueHash()),
              true));
    }
    return reads;
  }

  private List<Write> writes(ObservedTransaction t) {
    LinkedHashMap<Key, Write> writes = new LinkedHashMap<>();
    // The reader links them in program order. Of several writes of a record the last one is left.
    for (@Nullable ObservedWrite w = t.lastWrite(); w != null; w = w.previous()) {
      if (w.unstamped() != null) {
        throw new IllegalArgumentException(
            "the history has merges, which this check cannot judge: the order of positions must be"
                + " a serial one");
      }
      Key key = key(w.record());
      Value value = w.deleted() ? Value.ABSENT : value(w.valueHash());
      writes.put(key, new Write(key, VALUE_ID, value));
    }
    return List.copyOf(writes.values());
  }

  private Key key(long record) {
    return keys.computeIfAbsent(record, (long number) -> Key.of(recordName.apply(number)));
  }

  private static Value value(int hash) {
    return Value.of(Integer.toHexString(hash));
  }

  private static long stamp(int session, int sequence) {
    return (long) session << 32 | (sequence & 0xFFFFFFFFL);
  }
}
