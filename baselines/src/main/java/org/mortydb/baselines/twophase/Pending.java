package org.mortydb.baselines.twophase;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/** Keys with prepared writes, and the snapshots that wait for these. */
final class Pending {

  private static final class Writer {
    final TxnId txn;

    /** The least possible commit timestamp. */
    final long leastMicros;

    final boolean isSum;

    final List<SnapshotWaiter> waiters = new ArrayList<>(0);

    Writer(TxnId txn, long leastMicros, boolean isSum) {
      this.txn = txn;
      this.leastMicros = leastMicros;
      this.isSum = isSum;
    }
  }

  /** One prepared transaction writes a key at a time, or several only add to it. */
  private final HashMap<Key, List<Writer>> writers = new HashMap<>();

  private int size;

  void add(TxnId txn, long leastMicros, List<Write> writes) {
    for (Write write : writes) {
      List<Writer> all = writers.computeIfAbsent(write.key(), key -> new ArrayList<>(1));
      boolean isSum = Merge.isSum(write.value());
      for (Writer before : all) {
        if (!isSum || !before.isSum || before.txn.equals(txn)) {
          throw new IllegalStateException(
              txn + " and " + before.txn + " are both prepared to write " + write.key());
        }
      }
      all.add(new Writer(txn, leastMicros, isSum));
      size++;
    }
  }

  /** Removes a transaction's keys, and returns the snapshots that waited for them. */
  List<SnapshotWaiter> remove(TxnId txn, List<Write> writes) {
    List<SnapshotWaiter> woken = List.of();
    for (Write write : writes) {
      Writer writer = writer(txn, write.key());
      if (writer != null) {
        List<Writer> all = writers.getOrDefault(write.key(), List.of());
        all.remove(writer);
        size--;
        if (all.isEmpty()) {
          writers.remove(write.key());
        }
        if (!writer.waiters.isEmpty()) {
          woken = woken.isEmpty() ? new ArrayList<>() : woken;
          woken.addAll(writer.waiters);
        }
      }
    }
    return woken;
  }

  private @Nullable Writer writer(TxnId txn, Key key) {
    for (Writer writer : writers.getOrDefault(key, List.of())) {
      if (writer.txn.equals(txn)) {
        return writer;
      }
    }
    return null;
  }

  /**
   * Adds a snapshot that must wait because a transaction may still commit below it. Returns whether
   * it must wait.
   */
  boolean mustWait(SnapshotWaiter waiter) {
    for (Writer writer : writers.getOrDefault(waiter.key(), List.of())) {
      if (writer.leastMicros <= waiter.atMicros()) {
        if (!writer.waiters.contains(waiter)) {
          writer.waiters.add(waiter);
        }
        return true; // it asks again when this writer has ended
      }
    }
    return false;
  }

  /** Whether a transaction is prepared to write a key. */
  boolean has(TxnId txn, Key key) {
    return writer(txn, key) != null;
  }

  /** The number of writes. */
  int size() {
    return size;
  }
}
