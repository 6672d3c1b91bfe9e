package org.mortydb.check.journal;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/**
 * Checks a whole history by a replay, one transaction after another in the order of ids. Every read
 * must have returned the value that the previous writer left. The store promises this serial order.
 * If the replay explains every value that applications saw, the history is serializable, regardless
 * of the versions that the store claims.
 *
 * <p>The replay compares the stamp of the writer and a hash of the bytes. Writes of a transaction
 * with unknown outcome count as committed if a committed transaction has read them.
 *
 * <p>Records into which transactions merge have values without a stamp. The replay applies the
 * merges itself, and compares the hash of what they make. A merge of unknown outcome leaves two
 * possible values, until a read tells which one is right.
 *
 * <p>It needs 12 bytes of memory per record, the values of records with merges, and none per
 * transaction.
 */
public final class SerialReplay {
  private static final int EXPLANATIONS = 5;

  /** The most records for which memory is reserved in advance. */
  private static final long MOST_EXPECTED = 1 << 28;

  private static final int NO_SLOT = -1;

  /** With more possible values, a record with merges is no longer judged until it is put. */
  private static final int MOST_POSSIBLE = 1_024;

  private static final List<Value> ABSENT = List.of(Value.ABSENT);

  private final LongFunction<String> recordName;

  /** The position of each written record in the three lists. */
  private final Long2IntOpenHashMap slots;

  // The last writer of each record; ABSENT for a deleted one.
  private final IntArrayList session;
  private final IntArrayList sequence;
  private final IntArrayList valueHash;

  /** The records that transactions of unknown outcome may have deleted. */
  private final LongOpenHashSet maybeDeleted = new LongOpenHashSet();

  /** What records without stamps may hold; nothing for one that is not judged any more. */
  private final Long2ObjectOpenHashMap<List<Value>> possible = new Long2ObjectOpenHashMap<>();

  private final List<String> explanations = new ArrayList<>();
  private final PastAnswers.Counter past = new PastAnswers.Counter();
  private long transactions;
  private long reads;
  private long unknown;
  private long violations;
  private long lost;
  private final int firstAtEnd;

  private SerialReplay(long records, LongFunction<String> recordName, int firstAtEnd) {
    int expected = (int) Math.min(records, MOST_EXPECTED);
    this.firstAtEnd = firstAtEnd;
    this.recordName = recordName;
    this.slots = new Long2IntOpenHashMap(expected);
    slots.defaultReturnValue(NO_SLOT);
    this.session = new IntArrayList(expected);
    this.sequence = new IntArrayList(expected);
    this.valueHash = new IntArrayList(expected);
  }

  /**
   * Checks closed logs that together contain every transaction since the store was empty.
   *
   * @param records the approximate number of records; all are absent at first
   * @param recordName names a record in explanations
   */
  public static ReplayVerdict check(
      List<HistoryLog> logs, long records, LongFunction<String> recordName) throws IOException {
    return check(logs, records, recordName, Integer.MAX_VALUE);
  }

  /**
   * Checks closed logs whose last transactions read all records at the end.
   *
   * @param firstAtEnd the first session of the readers at the end
   * @see #check(List, long, LongFunction)
   */
  public static ReplayVerdict check(
      List<HistoryLog> logs, long records, LongFunction<String> recordName, int firstAtEnd)
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
    return new ReplayVerdict(
        replay.transactions,
        replay.reads,
        replay.unknown,
        replay.violations,
        replay.lost,
        List.copyOf(replay.explanations),
        (System.nanoTime() - start) / 1_000,
        replay.past.result());
  }

  private void replay(ObservedTransaction t, Long2ObjectMap<ObservedRead> seenOfUnknown) {
    transactions++;
    if (!t.certain()) {
      unknown++;
      // Only its readers reveal which of its executions committed, if any.
      @Nullable ObservedRead seen = seenOfUnknown.get(stamp(t.session(), t.sequence()));
      for (; seen != null; seen = seen.previous()) {
        write(seen.record(), t, seen.valueHash());
      }
      for (@Nullable ObservedWrite w = t.lastWrite(); w != null; w = w.previous()) {
        if (w.unstamped() == null) {
          maybeDeleted.add(w.record());
        } else {
          writeUnstamped(w.record(), w.unstamped(), false);
        }
      }
      return;
    }
    for (@Nullable ObservedRead r = t.lastRead(); r != null; r = r.previous()) {
      reads++;
      check(t, r);
    }
    if (t.ageMicros() > 0) {
      past.read(t);
    }
    for (@Nullable ObservedWrite w = t.lastWrite(); w != null; w = w.previous()) {
      past.wrote(t.id().timeMicros(), w.record());
      if (w.unstamped() != null) {
        writeUnstamped(w.record(), w.unstamped(), true);
      } else if (w.deleted()) {
        delete(w.record());
      } else {
        write(w.record(), t, w.valueHash());
      }
    }
  }

  private void writeUnstamped(long record, Value write, boolean certain) {
    List<Value> before = possible.getOrDefault(record, ABSENT);
    LinkedHashSet<Value> after = new LinkedHashSet<>(certain ? List.of() : before);
    if (!write.isMerge()) {
      after.add(write);
      possible.put(record, before.isEmpty() && !certain ? before : List.copyOf(after));
      return;
    }
    for (Value value : before) {
      after.add(Merge.apply(value, write));
    }
    possible.put(record, after.size() > MOST_POSSIBLE ? List.of() : List.copyOf(after));
  }

  private void checkUnstamped(ObservedTransaction t, ObservedRead r, List<Value> before) {
    boolean absent = r.writerSession() == ObservedRead.ABSENT;
    List<Value> right =
        before.stream()
            .filter(
                value ->
                    absent
                        ? value.isAbsent()
                        : !value.isAbsent() && Trace.hashOf(value) == r.valueHash())
            .toList();
    if (!right.isEmpty()) {
      possible.put(r.record(), right);
    } else if (!before.isEmpty()) {
      if (t.session() >= firstAtEnd) {
        lost++;
      }
      violation(
          "%s read %s as %s, but by the order of ids the merges make %s"
              .formatted(
                  t,
                  recordName.apply(r.record()),
                  absent ? "absent" : "value %08x".formatted(r.valueHash()),
                  before.stream()
                      .limit(EXPLANATIONS)
                      .map(value -> "%s (value %08x)".formatted(value, Trace.hashOf(value)))
                      .collect(Collectors.joining(" or "))));
    }
  }

  private void check(ObservedTransaction t, ObservedRead r) {
    long record = r.record();
    List<Value> merged = possible.get(record);
    if (merged != null || r.writerSession() == ObservedRead.UNSTAMPED) {
      checkUnstamped(t, r, merged == null ? ABSENT : merged);
      return;
    }
    int slot = slots.get(record);
    boolean present = slot != NO_SLOT && session.getInt(slot) != ObservedRead.ABSENT;
    boolean asLeft =
        present
            ? r.writerSession() == session.getInt(slot)
                && r.writerSequence() == sequence.getInt(slot)
                && r.valueHash() == valueHash.getInt(slot)
            : r.writerSession() == ObservedRead.ABSENT;
    // The read reveals whether a deletion of unknown outcome took effect.
    boolean excused = maybeDeleted.remove(record) && r.writerSession() == ObservedRead.ABSENT;
    if (!asLeft && excused) {
      delete(record);
    } else if (!asLeft) {
      explain(t, r, slot);
    }
  }

  private void write(long record, ObservedTransaction writer, int hash) {
    maybeDeleted.remove(record);
    int slot = slots.get(record);
    if (slot == NO_SLOT) {
      slots.put(record, session.size());
      session.add(writer.session());
      sequence.add(writer.sequence());
      valueHash.add(hash);
    } else {
      session.set(slot, writer.session());
      sequence.set(slot, writer.sequence());
      valueHash.set(slot, hash);
    }
  }

  private void delete(long record) {
    maybeDeleted.remove(record);
    int slot = slots.get(record);
    if (slot != NO_SLOT) {
      session.set(slot, ObservedRead.ABSENT);
    }
  }

  private void explain(ObservedTransaction t, ObservedRead r, int slot) {
    if (t.session() >= firstAtEnd) {
      lost++;
    }
    violation(
        "%s read %s as %s left it, but by the order of ids its last writer is %s"
            .formatted(
                t,
                recordName.apply(r.record()),
                writer(r.writerSession(), r.writerSequence(), r.valueHash()),
                slot == NO_SLOT
                    ? "no transaction"
                    : writer(session.getInt(slot), sequence.getInt(slot), valueHash.getInt(slot))));
  }

  private static String writer(int session, int sequence, int hash) {
    return session == ObservedRead.ABSENT
        ? "no transaction"
        : "session %d, attempt %d (value %08x)".formatted(session, sequence, hash);
  }

  private void violation(String explanation) {
    violations++;
    if (explanations.size() < EXPLANATIONS) {
      explanations.add(explanation);
    }
  }

  /** The reads of committed transactions from those of unknown outcome, by the writer's stamp. */
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
