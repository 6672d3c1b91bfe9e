package org.mortydb.bench.history;

import it.unimi.dsi.fastutil.longs.Long2ObjectMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;

/**
 * Checks a whole history by running it again, one transaction after the other in the order of ids:
 * every read must have returned the value that the last transaction before it left. That order is
 * the one the store promises, and it proves itself: if replaying it explains every value that any
 * application saw, the history is serializable, whatever versions the store believes it served.
 *
 * <p>Values are compared by the stamp of their writer and a hash of their bytes. A transaction of
 * unknown outcome counts as committed in so far as a committed one has read from it.
 *
 * <p>Needs memory for the records, 12 bytes each, not for the transactions.
 */
public final class SerialReplay {
  private static final int EXPLANATIONS = 5;

  private final IntFunction<String> recordName;
  private final int[] session;
  private final int[] sequence;
  private final int[] valueHash;
  private final List<String> explanations = new ArrayList<>();
  private long transactions;
  private long reads;
  private long unknown;
  private long violations;
  private long lost;
  private final int firstAtEnd;

  private SerialReplay(int records, IntFunction<String> recordName, int firstAtEnd) {
    this.firstAtEnd = firstAtEnd;
    this.recordName = recordName;
    this.session = new int[records];
    this.sequence = new int[records];
    this.valueHash = new int[records];
    java.util.Arrays.fill(session, ObservedRead.ABSENT);
  }

  /**
   * Checks closed logs that together hold every transaction since the store was empty.
   *
   * @param records the number of records, all absent at first
   * @param recordName names a record in explanations
   */
  public static Verdict check(List<HistoryLog> logs, int records, IntFunction<String> recordName)
      throws IOException {
    return check(logs, records, recordName, Integer.MAX_VALUE);
  }

  /**
   * Checks closed logs, the last transactions of which read all records once everything is over.
   *
   * @param firstAtEnd sessions from this number on are those of the readers at the end
   * @see #check(List, int, IntFunction)
   */
  public static Verdict check(
      List<HistoryLog> logs, int records, IntFunction<String> recordName, int firstAtEnd)
      throws IOException {
    long start = System.nanoTime();
    SerialReplay replay = new SerialReplay(records, recordName, firstAtEnd);
    Long2ObjectMap<ObservedRead> seenOfUnknown = seenOfUnknown(logs);
    try (HistoryReader reader = new HistoryReader(logs)) {
      @Nullable TxnId previous = null;
      for (ObservedTransaction t = reader.next(); t != null; t = reader.next()) {
        if (t.id().equals(previous)) {
          replay.violation("two transactions have the id " + t.id());
        }
        previous = t.id();
        replay.replay(t, seenOfUnknown);
      }
    }
    return new Verdict(
        replay.transactions,
        replay.reads,
        replay.unknown,
        replay.violations,
        replay.lost,
        List.copyOf(replay.explanations),
        (System.nanoTime() - start) / 1_000);
  }

  private void replay(ObservedTransaction t, Long2ObjectMap<ObservedRead> seenOfUnknown) {
    transactions++;
    if (!t.certain()) {
      unknown++;
      // Which of its executions committed, if any, only its readers can tell.
      @Nullable ObservedRead seen = seenOfUnknown.get(stamp(t.session(), t.sequence()));
      for (; seen != null; seen = seen.previous()) {
        write(seen.record(), t, seen.valueHash());
      }
      return;
    }
    for (@Nullable ObservedRead r = t.lastRead(); r != null; r = r.previous()) {
      reads++;
      int record = r.record();
      if (r.writerSession() != session[record]
          || r.writerSequence() != sequence[record]
          || r.valueHash() != valueHash[record]) {
        explain(t, r);
      }
    }
    for (@Nullable ObservedWrite w = t.lastWrite(); w != null; w = w.previous()) {
      write(w.record(), t, w.valueHash());
    }
  }

  private void write(int record, ObservedTransaction writer, int hash) {
    session[record] = writer.session();
    sequence[record] = writer.sequence();
    valueHash[record] = hash;
  }

  private void explain(ObservedTransaction t, ObservedRead r) {
    int record = r.record();
    if (t.session() >= firstAtEnd) {
      lost++;
    }
    violation(
        "%s read %s as %s left it; the last to write it before, in the order of ids, is %s"
            .formatted(
                t,
                recordName.apply(record),
                writer(r.writerSession(), r.writerSequence(), r.valueHash()),
                writer(session[record], sequence[record], valueHash[record])));
  }

  private static String writer(int session, int sequence, int hash) {
    return session == ObservedRead.ABSENT
        ? "nobody"
        : "session %d, attempt %d (value %08x)".formatted(session, sequence, hash);
  }

  private void violation(String explanation) {
    violations++;
    if (explanations.size() < EXPLANATIONS) {
      explanations.add(explanation);
    }
  }

  /** What committed transactions read of those with an unknown outcome, by the latter's stamps. */
  private static Long2ObjectMap<ObservedRead> seenOfUnknown(List<HistoryLog> logs)
      throws IOException {
    Long2ObjectMap<ObservedRead> seen = new Long2ObjectOpenHashMap<>();
    if (logs.stream().allMatch(log -> log.unknown() == 0)) {
      return seen;
    }
    Long2ObjectMap<Boolean> stamps = new Long2ObjectOpenHashMap<>();
    try (HistoryReader reader = new HistoryReader(logs)) {
      for (ObservedTransaction t = reader.next(); t != null; t = reader.next()) {
        if (!t.certain()) {
          stamps.put(stamp(t.session(), t.sequence()), Boolean.TRUE);
        }
      }
    }
    try (HistoryReader reader = new HistoryReader(logs)) {
      for (ObservedTransaction t = reader.next(); t != null; t = reader.next()) {
        if (!t.certain()) {
          continue;
        }
        for (@Nullable ObservedRead r = t.lastRead(); r != null; r = r.previous()) {
          long stamp = stamp(r.writerSession(), r.writerSequence());
          if (stamps.containsKey(stamp)) {
            seen.put(
                stamp,
                new ObservedRead(
                    seen.get(stamp),
                    r.record(),
                    r.writerSession(),
                    r.writerSequence(),
                    r.valueHash()));
          }
        }
      }
    }
    return seen;
  }

  private static long stamp(int session, int sequence) {
    return (long) session << 32 | (sequence & 0xFFFFFFFFL);
  }
}
