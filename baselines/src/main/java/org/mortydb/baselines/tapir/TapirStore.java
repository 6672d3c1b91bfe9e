package org.mortydb.baselines.tapir;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;

/** The keys of a replica, and the validation of transactions against them. */
final class TapirStore {
  private record Due(TapirKey key, long sinceMicros) {}

  private final ReplicaOptions options;
  private final ReplicaRules rules;
  private final HashMap<Key, TapirKey> keys = new HashMap<>();

  /** Keys that have or may get more state than an idle key, ordered by time. */
  private final ArrayDeque<Due> prunable = new ArrayDeque<>();

  TapirStore(ReplicaOptions options, ReplicaRules rules) {
    this.options = options;
    this.rules = rules;
  }

  /** The newest committed version of a key; null before the first. */
  TapirKey.@Nullable Version newest(Key key) {
    TapirKey state = keys.get(key);
    return state == null ? null : state.newest();
  }

  /**
   * Validates an unprepared transaction at a stamp. The order of stamps is serial if, for every
   * read, there is no write between the version read and the reader. Each replica stops the second
   * of two transactions that conflict in this way. If both were prepared, some replica would have
   * prepared both.
   *
   * @param fenceMicros stamps at or before this time are too late
   */
  PrepareResult validate(TxnId stamp, List<Read> reads, List<Write> writes, long fenceMicros) {
    long retryMicros = stamp.timeMicros() <= fenceMicros ? fenceMicros : 0;
    for (int i = 0; i < writes.size(); i++) {
      TapirKey key = keys.get(writes.get(i).key());
      if (key != null) {
        retryMicros = Math.max(retryMicros, tooEarlyToWrite(key, stamp));
      }
    }
    boolean abstains = false;
    for (int i = 0; i < reads.size() && rules.checksMissedWrites(); i++) {
      TapirKey key = keys.get(reads.get(i).key());
      if (key == null) {
        continue;
      }
      TxnId version = reads.get(i).version().writer();
      if (isAtOrBelowFloor(key, stamp)) {
        retryMicros = Math.max(retryMicros, key.floor().timeMicros());
      }
      // A later stamp would have to be after everything up to that time.
      TxnId last = retryMicros > 0 ? endOf(retryMicros) : stamp;
      if (key.hasCommittedWithin(version, last)) {
        return PrepareResult.ABORT;
      }
      abstains |= key.hasPreparedWithin(version, stamp);
    }
    if (abstains) {
      return PrepareResult.ABSTAIN;
    }
    return retryMicros > 0 ? new PrepareResult.Retry(retryMicros) : PrepareResult.OK;
  }

  /** The time that a write's stamp must be after; 0 when the proposed stamp is late enough. */
  private long tooEarlyToWrite(TapirKey key, TxnId stamp) {
    long retryMicros = rules.checksWritesMissed() ? key.readPastMicros(stamp) : 0;
    if (key.isWrittenAt(stamp)) {
      retryMicros = Math.max(retryMicros, stamp.timeMicros());
    }
    return isAtOrBelowFloor(key, stamp)
        ? Math.max(retryMicros, key.floor().timeMicros())
        : retryMicros;
  }

  private static boolean isAtOrBelowFloor(TapirKey key, TxnId stamp) {
    return !stamp.isAfter(key.floor());
  }

  /** Makes a transaction count in the validation of others, at its current stamp. */
  void prepare(TxnState txn, long nowMicros) {
    txn.prepared = true;
    for (Read read : txn.reads()) {
      keyOf(read.key(), nowMicros).prepareRead(txn, read.version().writer());
    }
    for (Write write : txn.writes()) {
      keyOf(write.key(), nowMicros).prepareWrite(txn);
    }
  }

  /** Stops a transaction from counting in the validation of others. */
  void release(TxnState txn) {
    if (!txn.prepared) {
      return;
    }
    txn.prepared = false;
    for (Read read : txn.reads()) {
      release(txn, read.key());
    }
    for (Write write : txn.writes()) {
      release(txn, write.key());
    }
  }

  private void release(TxnState txn, Key name) {
    TapirKey key = keys.get(name);
    if (key != null) {
      key.release(txn);
    }
  }

  /** Installs a committed transaction. */
  void commit(TxnId stamp, List<Read> reads, List<Write> writes, long nowMicros) {
    for (Read read : reads) {
      keyOf(read.key(), nowMicros).commitRead(read.version().writer(), stamp);
    }
    for (Write write : writes) {
      TapirKey key = keyOf(write.key(), nowMicros);
      key.commitWrite(new WriteId(stamp, write.valueId()), write.value());
      key.pruneTo(options.maxVersionsPerKey());
    }
  }

  private TapirKey keyOf(Key name, long nowMicros) {
    TapirKey key = keys.get(name);
    if (key == null) {
      key = new TapirKey(name);
      keys.put(name, key);
    }
    queue(key, nowMicros);
    return key;
  }

  private void queue(TapirKey key, long nowMicros) {
    if (!key.queuedForPruning) {
      key.queuedForPruning = true;
      prunable.add(new Due(key, nowMicros));
    }
  }

  /**
   * Discards the state that matters only to stamps at or before a time, which are no longer
   * proposed.
   */
  void prune(long fenceMicros, long nowMicros) {
    TxnId fence = endOf(fenceMicros);
    long dueMicros = nowMicros - options.retentionMicros();
    for (Due head = prunable.peek();
        head != null && head.sinceMicros <= dueMicros;
        head = prunable.peek()) {
      prunable.remove();
      TapirKey key = head.key;
      key.queuedForPruning = false;
      boolean more = key.prune(fence);
      if (key.isForgettable()) {
        keys.remove(key.key);
      } else if (more) {
        queue(key, nowMicros);
      }
    }
  }

  /** Throws if an invariant is broken. */
  void checkInvariants() {
    keys.values().forEach(TapirKey::checkInvariants);
  }

  /** The latest stamp with a given time. */
  private static TxnId endOf(long timeMicros) {
    return new TxnId(timeMicros, Long.MAX_VALUE, 0);
  }
}
