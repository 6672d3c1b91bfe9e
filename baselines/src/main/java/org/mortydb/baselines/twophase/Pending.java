package org.mortydb.baselines.twophase;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/** Keys with prepared writes, and the snapshots that wait for these. */
final class Pending {

  private static final class Writer {
    final TxnId txn;

    /** The least possible commit timestamp. */
    final long leastMicros;

    final List<SnapshotWaiter> waiters = new ArrayList<>(0);

    Writer(TxnId txn, long leastMicros) {
      this.txn = txn;
      this.leastMicros = leastMicros;
    }
  }

  /** At most one prepared transaction writes a key at a time. */
  private final HashMap<Key, Writer> writers = new HashMap<>();

  void add(TxnId txn, long leastMicros, List<Write> writes) {
    for (Write write : writes) {
      Writer before = writers.put(write.key(), new Writer(txn, leastMicros));
      if (before != null) {
        throw new IllegalStateException(
            txn + " and " + before.txn + " are both prepared to write " + write.key());
      }
    }
  }

  /** Removes a transaction's keys, and returns the snapshots that waited for them. */
  List<SnapshotWaiter> remove(TxnId txn, List<Write> writes) {
    List<SnapshotWaiter> woken = List.of();
    for (Write write : writes) {
      Writer writer = writers.get(write.key());
      if (writer != null && writer.txn.equals(txn)) {
        writers.remove(write.key());
        if (!writer.waiters.isEmpty()) {
          woken = woken.isEmpty() ? new ArrayList<>() : woken;
          woken.addAll(writer.waiters);
        }
      }
    }
    return woken;
  }

  /**
   * Adds a snapshot that must wait because a transaction may still commit below it. Returns whether
   * it must wait.
   */
  boolean mustWait(SnapshotWaiter waiter) {
    @Nullable Writer writer = writers.get(waiter.key());
    if (writer == null || writer.leastMicros > waiter.atMicros()) {
      return false;
    }
    if (!writer.waiters.contains(waiter)) {
      writer.waiters.add(waiter);
    }
    return true;
  }

  /** The prepared writer of a key; null if there is none. */
  @Nullable TxnId writerOf(Key key) {
    Writer writer = writers.get(key);
    return writer == null ? null : writer.txn;
  }

  int size() {
    return writers.size();
  }
}
