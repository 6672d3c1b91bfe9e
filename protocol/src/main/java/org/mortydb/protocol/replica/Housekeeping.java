package org.mortydb.protocol.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What a replica has to come back to after a while: records and versions to forget, undecided
 * transactions to ask about, missing executions to fetch. Every queue is in the order of its due
 * times, because each has a constant delay; a tick costs what is due and no more.
 */
final class Housekeeping {
  /** A transaction or key, and since when it is in its queue. */
  private record Due<T>(T what, long sinceMicros) {}

  private final ReplicaOptions options;
  private final RecordTable records;
  private final KeyTable keys;
  private final ArrayDeque<Due<KeyState>> prunable = new ArrayDeque<>();
  private final ArrayDeque<TxnRecord> watched = new ArrayDeque<>();
  private final ArrayDeque<Due<TxnRecord>> missing = new ArrayDeque<>();

  Housekeeping(ReplicaOptions options, RecordTable records, KeyTable keys) {
    this.options = options;
    this.records = records;
    this.keys = keys;
  }

  /** The key has, or may come to have, more than a cold key needs. */
  void prunable(KeyState key, long nowMicros) {
    if (key.queueForPruning()) {
      prunable.add(new Due<>(key, nowMicros));
    }
  }

  /** Somebody is hindered while this transaction stays undecided. */
  void watch(TxnRecord txn, long nowMicros) {
    if (!txn.isWatched() && !txn.isDecided()) {
      // It is looked at with a tick only: the last one within the time, not the first one after it.
      long waitMicros =
          Math.max(options.inquireMicros() - options.tickMicros(), options.inquireMicros() / 2);
      txn.watch(nowMicros + waitMicros);
      watched.add(txn);
    }
  }

  /** The committed execution of this transaction has to be fetched. */
  void awaitExecution(TxnRecord txn, long nowMicros) {
    missing.add(new Due<>(txn, nowMicros));
  }

  /**
   * Forgets versions and reads of keys that were last written or read long enough ago, but for the
   * versions of cuts that are held.
   */
  void prune(Horizon horizon, HeldCuts cuts, long nowMicros) {
    long dueMicros = nowMicros - options.retentionMicros();
    for (Due<KeyState> head = prunable.peek();
        head != null && head.sinceMicros() <= dueMicros;
        head = prunable.peek()) {
      prunable.remove();
      KeyState key = head.what();
      boolean more = key.prune(horizon.watermark(), horizon.fence(), cuts);
      if (key.isForgettable()) {
        keys.remove(key);
      } else if (more) {
        prunable(key, nowMicros);
      }
    }
  }

  /** The undecided transactions that are due to be asked about. */
  List<TxnRecord> undecided(long nowMicros) {
    ArrayList<TxnRecord> due = new ArrayList<>();
    for (TxnRecord txn = watched.peek();
        txn != null && (txn.isDecided() || txn.inquireAtMicros() <= nowMicros);
        txn = watched.peek()) {
      watched.remove();
      txn.stopWatching();
      boolean hinders = txn.isPrepared() || txn.accepted() != null || txn.hasDependents();
      if (!txn.isDecided() && hinders && records.get(txn.id()) == txn) {
        due.add(txn);
      }
    }
    for (TxnRecord txn : due) {
      watch(txn, nowMicros);
    }
    return due;
  }

  /** The transactions whose committed execution is due to be fetched again. */
  List<TxnRecord> missingExecution(long nowMicros) {
    ArrayList<TxnRecord> due = new ArrayList<>();
    for (Due<TxnRecord> head = missing.peek();
        head != null
            && (head.what().isInstalled()
                || head.sinceMicros() + options.inquireMicros() <= nowMicros);
        head = missing.peek()) {
      missing.remove();
      if (!head.what().isInstalled() && records.get(head.what().id()) == head.what()) {
        due.add(head.what());
      }
    }
    for (TxnRecord txn : due) {
      awaitExecution(txn, nowMicros);
    }
    return due;
  }
}
