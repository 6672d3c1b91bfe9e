package org.mortydb.protocol.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.table.DueQueue;

/**
 * Work that is due after a while: versions to prune, undecided transactions to inquire about,
 * missing executions to fetch. Each queue has a constant delay, so it is in the order of due times,
 * and a tick costs only what is due.
 */
final class Housekeeping {
  /** The most deletions dropped at a time. */
  static final int MOST_ERASED = 1_024;

  /** The keys that are pruned at the end of a step, once so many are due. */
  static final int PRUNED_AT_ONCE = 32;

  /** The most keys that a tick prunes: messages that arrive meanwhile wait for it. */
  static final int MOST_PRUNED = 2_048;

  /** A transaction, and since when it has been in its queue. */
  private record Due(TxnRecord what, long sinceMicros) {}

  private final ReplicaOptions options;
  private final RecordTable records;
  private final KeyTable keys;
  private final DueQueue prunable = new DueQueue();

  private final int[] ahead = new int[KeyTable.AHEAD];
  private final ArrayDeque<TxnRecord> watched = new ArrayDeque<>();
  private final ArrayDeque<Due> missing = new ArrayDeque<>();

  Housekeeping(ReplicaOptions options, RecordTable records, KeyTable keys) {
    this.options = options;
    this.records = records;
    this.keys = keys;
  }

  /** Queues a key that has, or may get, more state than a cold key needs. */
  void prunable(KeyState key, long elapsedMicros) {
    if (key.queueForPruning()) {
      prunable.add(key.slot(), elapsedMicros);
    }
  }

  /** Watches a transaction that hinders others while it is undecided. */
  void watch(TxnRecord txn, long elapsedMicros) {
    if (!txn.isWatched() && !txn.isDecided()) {
      // Ticks look at the queue: the transaction is due at the last tick within the time.
      long waitMicros =
          Math.max(options.inquireMicros() - options.tickMicros(), options.inquireMicros() / 2);
      txn.watch(elapsedMicros + waitMicros);
      watched.add(txn);
    }
  }

  /** Queues a transaction whose committed execution has to be fetched. */
  void awaitExecution(TxnRecord txn, long elapsedMicros) {
    missing.add(new Due(txn, elapsedMicros));
  }

  /** Whether enough keys are due for pruning at the end of a step. */
  boolean isPruningDue(long elapsedMicros) {
    return prunable.haveWaited(PRUNED_AT_ONCE, elapsedMicros - options.pruneMicros());
  }

  /**
   * Prunes keys that were queued {@link ReplicaOptions#pruneMicros} ago; keeps versions of held
   * cuts.
   *
   * @param most the most keys to prune
   * @param deletions deletions at or below it are dropped, too
   * @return the keys whose deletions were dropped; null if there are none
   */
  LogRecord.@Nullable Erased prune(
      int most, Horizon horizon, HeldCuts cuts, TxnId deletions, long elapsedMicros) {
    ArrayList<Key> erased = new ArrayList<>();
    TxnId erasedTo = TxnId.INITIAL;
    long dueMicros = elapsedMicros - options.pruneMicros();
    int touched = 0;
    int left = most;
    while (left-- > 0
        && !prunable.isEmpty()
        && prunable.firstTime() <= dueMicros
        && erased.size() < MOST_ERASED) {
      if (touched-- == 0) {
        int count = Math.min(left + 1, prunable.peek(ahead));
        keys.touch(ahead, count);
        touched = count - 1;
      }
      int slot = prunable.poll();
      if (isPrunedAtRest(slot, horizon, cuts, elapsedMicros)) {
        continue;
      }
      KeyState key = keys.wake(slot);
      key.prune(horizon.executionsForgotten(), horizon.fence(), cuts);
      TxnId deletion = key.dropDeletion(deletions);
      if (deletion != null) {
        erased.add(key.key());
        erasedTo = ReplicaState.later(erasedTo, deletion);
      }
      if (key.isForgettable()) {
        keys.remove(key);
        continue;
      }
      if (key.isPrunable()) {
        prunable(key, elapsedMicros);
      }
      keys.mayRest(key);
    }
    return erased.isEmpty() ? null : new LogRecord.Erased(erasedTo, erased);
  }

  /** Prunes a key in its row, if that is simple, and says whether it was. */
  private boolean isPrunedAtRest(int slot, Horizon horizon, HeldCuts cuts, long elapsedMicros) {
    if (cuts.size() > 0) {
      return false;
    }
    return switch (keys.pruneAtRest(slot, horizon.executionsForgotten(), horizon.fence())) {
      case NOT -> false;
      case AND_COLD -> true;
      case AND_PRUNABLE -> {
        prunable.add(slot, elapsedMicros);
        yield true;
      }
    };
  }

  /** The undecided transactions that are due for an inquiry. */
  List<TxnRecord> undecided(long elapsedMicros) {
    ArrayList<TxnRecord> due = new ArrayList<>();
    for (TxnRecord txn = watched.peek();
        txn != null && (txn.isDecided() || txn.inquireAtMicros() <= elapsedMicros);
        txn = watched.peek()) {
      watched.remove();
      txn.stopWatching();
      if (!txn.isDecided() && txn.hinders() && records.get(txn.id()) == txn) {
        due.add(txn);
      }
    }
    for (TxnRecord txn : due) {
      watch(txn, elapsedMicros);
    }
    return due;
  }

  /** The transactions whose committed execution is due for another fetch. */
  List<TxnRecord> missingExecution(long elapsedMicros) {
    ArrayList<TxnRecord> due = new ArrayList<>();
    for (Due head = missing.peek();
        head != null
            && (head.what().isInstalled()
                || head.sinceMicros() + options.inquireMicros() <= elapsedMicros);
        head = missing.peek()) {
      missing.remove();
      if (!head.what().isInstalled() && records.get(head.what().id()) == head.what()) {
        due.add(head.what());
      }
    }
    for (TxnRecord txn : due) {
      awaitExecution(txn, elapsedMicros);
    }
    return due;
  }
}
