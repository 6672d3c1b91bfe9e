package org.mortydb.sim.host;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.TxnId;

/** What one replica has on its server's disk: the last whole checkpoint, and the log after it. */
final class ReplicaLog {
  /**
   * A record in the log.
   *
   * @param number its place among all that was written to the disk
   */
  private record Entry(long number, LogRecord logged) {}

  /** A checkpoint that counts once everything up to its number is durable. */
  private record Checkpoint(long number, List<LogRecord> records, long cutNumber) {}

  private record Watermark(long number, TxnId reached) {}

  private final ArrayDeque<Entry> entries = new ArrayDeque<>();

  /** By execution, the number of the first record that holds it. */
  private final HashMap<ExecutionId, Long> held = new HashMap<>();

  /** Executions that were held before the disk was lost. */
  private final HashSet<ExecutionId> lost = new HashSet<>();

  /** The watermarks that were written; they only grow. */
  private final ArrayDeque<Watermark> watermarks = new ArrayDeque<>();

  private List<LogRecord> checkpoint = List.of();
  private long cutNumber;
  private long lastServing;
  private @Nullable Checkpoint pending;

  void append(long number, LogRecord logged) {
    entries.add(new Entry(number, logged));
    ExecutionId execution = executionOf(logged);
    if (execution != null) {
      held.putIfAbsent(execution, number);
    }
    if (logged instanceof LogRecord.Truncated(TxnId reached, TxnId _)) {
      watermarks.add(new Watermark(number, reached));
    }
    if (logged instanceof LogRecord.Serving(boolean serving) && serving) {
      lastServing = number;
    }
  }

  /** Whether, if the replica serves, that was written with a number of at most {@code durable}. */
  boolean knowsThatItServes(long durable) {
    return lastServing <= durable;
  }

  private static @Nullable ExecutionId executionOf(LogRecord logged) {
    return switch (logged) {
      case LogRecord.Prepared prepared -> prepared.execution();
      case LogRecord.Executed executed -> executed.execution();
      case LogRecord.Dropped _ -> null;
      case LogRecord.Promised _ -> null;
      case LogRecord.Accepted _ -> null;
      case LogRecord.Decided _ -> null;
      case LogRecord.Fenced _ -> null;
      case LogRecord.Truncated _ -> null;
      case LogRecord.Version _ -> null;
      case LogRecord.Floor _ -> null;
      case LogRecord.Settled _ -> null;
      case LogRecord.Locked _ -> null;
      case LogRecord.Serving _ -> null;
    };
  }

  /** Whether an execution's sets were written with a number of at most {@code durable}. */
  boolean holds(ExecutionId execution, long durable) {
    Long number = held.get(execution);
    return number != null && number <= durable;
  }

  /**
   * Whether a watermark at or above a transaction was written with a number of at most {@code
   * durable}: if it committed, then what it wrote is here, or something newer.
   */
  boolean reaches(TxnId txn, long durable) {
    for (Iterator<Watermark> newest = watermarks.descendingIterator(); newest.hasNext(); ) {
      Watermark watermark = newest.next();
      if (watermark.number <= durable) {
        return !txn.isAfter(watermark.reached);
      }
    }
    return false;
  }

  /** The number up to which the log was cut by the last checkpoint. */
  long cutNumber() {
    return cutNumber;
  }

  /** Has a checkpoint replace the one before, and the log up to its cut, once it is durable. */
  void checkpoint(long number, List<LogRecord> records, long cutNumber) {
    pending = new Checkpoint(number, records, cutNumber);
  }

  /** Everything up to a number is durable; true when a checkpoint came to count by it. */
  boolean durable(long number) {
    Checkpoint written = pending;
    if (written == null || written.number > number) {
      return false;
    }
    checkpoint = written.records;
    cutNumber = written.cutNumber;
    pending = null;
    while (!entries.isEmpty() && entries.getFirst().number <= written.cutNumber) {
      entries.removeFirst();
    }
    return true;
  }

  /** Loses what comes after a number, and a checkpoint that was not whole by then. */
  int lose(long afterNumber) {
    durable(afterNumber);
    pending = null;
    int lost = 0;
    while (!entries.isEmpty() && entries.getLast().number > afterNumber) {
      Entry entry = entries.removeLast();
      ExecutionId execution = executionOf(entry.logged);
      if (execution != null) {
        held.remove(execution, entry.number);
      }
      lost++;
    }
    while (!watermarks.isEmpty() && watermarks.getLast().number > afterNumber) {
      watermarks.removeLast();
    }
    return lost;
  }

  /** Whether there is a checkpoint. */
  boolean hasCheckpoint() {
    return !checkpoint.isEmpty();
  }

  /** Reads everything in the order in which a replica is to take it. */
  void replay(Consumer<LogRecord> to) {
    checkpoint.forEach(to);
    entries.forEach(entry -> to.accept(entry.logged));
  }

  /** Loses everything, as a disk does that breaks. */
  void wipe() {
    lost.addAll(held.keySet());
    clear();
  }

  /** Whether an execution's sets were here before the disk was lost. */
  boolean hasLost(ExecutionId execution) {
    return lost.contains(execution);
  }

  /** Forgets everything. */
  void clear() {
    entries.clear();
    held.clear();
    watermarks.clear();
    checkpoint = List.of();
    cutNumber = 0;
    pending = null;
    lastServing = 0;
  }

  /** Records in the log. */
  int size() {
    return entries.size();
  }
}
