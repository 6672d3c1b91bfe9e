package org.mortydb.check.journal;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
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

  /** Records are presized for at most so many. */
  private static final long MOST_EXPECTED = 1 << 28;

  private static final int NO_SLOT = -1;

  private final LongFunction<String> recordName;

  /** Where each record that was ever written stands in the three lists. */
  private final Long2IntOpenHashMap slots;

  // Who wrote a record last, ABSENT for one that was deleted.
  private final IntArrayList session;
  private final IntArrayList sequence;
  private final IntArrayList valueHash;

  /** Records that are gone if a certain transaction of unknown outcome has committed. */
  private final LongOpenHashSet maybeDeleted = new LongOpenHashSet();

  private final List<String> explanations = new ArrayList<>();
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
   * Checks closed logs that together hold every transaction since the store was empty.
   *
   * @param records about how many records there are; all are absent at first
   * @param recordName names a record in explanations
   */
  public static Verdict check(List<HistoryLog> logs, long records, LongFunction<String> recordName)
      throws IOException {
    return check(logs, records, recordName, Integer.MAX_VALUE);
  }

  /**
   * Checks closed logs, the last transactions of which read all records once everything is over.
   *
   * @param firstAtEnd sessions from this number on are those of the readers at the end
   * @see #check(List, long, LongFunction)
   */
  public static Verdict check(
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
      for (@Nullable ObservedWrite w = t.lastWrite(); w != null; w = w.previous()) {
        maybeDeleted.add(w.record());
      }
      return;
    }
    for (@Nullable ObservedRead r = t.lastRead(); r != null; r = r.previous()) {
      reads++;
      check(t, r);
    }
    for (@Nullable ObservedWrite w = t.lastWrite(); w != null; w = w.previous()) {
      if (w.deleted()) {
        delete(w.record());
      } else {
        write(w.record(), t, w.valueHash());
      }
    }
  }

  private void check(ObservedTransaction t, ObservedRead r) {
    long record = r.record();
    int slot = slots.get(record);
    boolean present = slot != NO_SLOT && session.getInt(slot) != ObservedRead.ABSENT;
    boolean asLeft =
        present
            ? r.writerSession() == session.getInt(slot)
                && r.writerSequence() == sequence.getInt(slot)
                && r.valueHash() == valueHash.getInt(slot)
            : r.writerSession() == ObservedRead.ABSENT;
    // Either way the read tells whether a deletion of unknown outcome took place.
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
        "%s read %s as %s left it; the last to write it before, in the order of ids, is %s"
            .formatted(
                t,
                recordName.apply(r.record()),
                writer(r.writerSession(), r.writerSequence(), r.valueHash()),
                slot == NO_SLOT
                    ? "nobody"
                    : writer(session.getInt(slot), sequence.getInt(slot), valueHash.getInt(slot))));
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
