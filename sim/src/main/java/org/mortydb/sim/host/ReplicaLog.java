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

/** A replica's part of the disk: the last complete checkpoint and the log after it. */
final class ReplicaLog {
  /**
   * A record in the log.
   *
   * @param number its position among all records of the disk
   */
  private record Entry(long number, LogRecord logged) {}

  /** A checkpoint that becomes valid when all records up to its number are durable. */
  private record Checkpoint(long number, List<LogRecord> records, long cutNumber) {}

  private record Watermark(long number, TxnId reached) {}

  private final ArrayDeque<Entry> entries = new ArrayDeque<>();

  /** The number of the first record that holds each execution. */
  private final HashMap<ExecutionId, Long> held = new HashMap<>();

  /** The executions that a lost disk had held. */
  private final HashSet<ExecutionId> lost = new HashSet<>();

  /** The written watermarks, in ascending order. */
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

  /** Whether the last record that the replica serves has a number up to {@code durable}. */
  boolean knowsThatItServes(long durable) {
    return lastServing <= durable;
  }

  private static @Nullable ExecutionId executionOf(LogRecord logged) {
    return switch (logged) {
      case LogRecord.Prepared prepared -> prepared.execution();
      case LogRecord.Executed executed -> executed.execution();
      default -> null;
    };
  }

  /** Whether a record up to {@code durable} holds an execution's sets. */
  boolean holds(ExecutionId execution, long durable) {
    Long number = held.get(execution);
    return number != null && number <= durable;
  }

  /**
   * Whether a record up to {@code durable} holds a watermark at or above a transaction. If so, and
   * the transaction committed, the log holds its writes or newer ones.
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

  /** Writes a checkpoint. Once durable it replaces the previous one and the log up to its cut. */
  void checkpoint(long number, List<LogRecord> records, long cutNumber) {
    pending = new Checkpoint(number, records, cutNumber);
  }

  /** Notes that all records up to a number are durable. */
  void durable(long number) {
    Checkpoint written = pending;
    if (written == null || written.number > number) {
      return;
    }
    checkpoint = written.records;
    cutNumber = written.cutNumber;
    pending = null;
    while (!entries.isEmpty() && entries.getFirst().number <= written.cutNumber) {
      entries.removeFirst();
    }
  }

  /**
   * Loses all records after a number, and a checkpoint that was incomplete by then.
   *
   * @param validUpTo the number up to which a checkpoint must have been written to count
   * @param kept whether the lost records counted as kept
   */
  int lose(long afterNumber, long validUpTo, boolean kept) {
    durable(validUpTo);
    pending = null;
    int lost = 0;
    while (!entries.isEmpty() && entries.getLast().number > afterNumber) {
      Entry entry = entries.removeLast();
      ExecutionId execution = executionOf(entry.logged);
      if (execution != null) {
        held.remove(execution, entry.number);
        if (kept) {
          this.lost.add(execution);
        }
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

  /** Reads all records in the order in which a replica restores them. */
  void replay(Consumer<LogRecord> to) {
    checkpoint.forEach(to);
    entries.forEach(entry -> to.accept(entry.logged));
  }

  /** Loses all records, like a broken disk. */
  void wipe() {
    lost.addAll(held.keySet());
    clear();
  }

  /** Whether a lost disk had held an execution's sets. */
  boolean hasLost(ExecutionId execution) {
    return lost.contains(execution);
  }

  /** Removes all records. */
  void clear() {
    entries.clear();
    held.clear();
    watermarks.clear();
    checkpoint = List.of();
    cutNumber = 0;
    pending = null;
    lastServing = 0;
  }

  /** Replaces all records by a durable checkpoint. */
  void replace(List<LogRecord> records) {
    clear();
    checkpoint = List.copyOf(records);
    records.forEach(
        logged -> {
          if (logged instanceof LogRecord.Truncated(TxnId reached, TxnId _)) {
            watermarks.add(new Watermark(0, reached));
          }
        });
  }

  /** The number of records in the log. */
  int size() {
    return entries.size();
  }
}
