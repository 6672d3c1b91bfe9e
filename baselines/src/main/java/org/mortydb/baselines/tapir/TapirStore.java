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

  /**
   * Keys that have, or may come to have, more than a cold key needs, in the order of their times.
   */
  private final ArrayDeque<Due> prunable = new ArrayDeque<>();

  TapirStore(ReplicaOptions options, ReplicaRules rules) {
    this.options = options;
    this.rules = rules;
  }

  /** The newest committed version of a key, null before the first. */
  TapirKey.@Nullable Version newest(Key key) {
    TapirKey state = keys.get(key);
    return state == null ? null : state.newest();
  }

  /**
   * Validates a transaction, which must not be prepared, at a stamp. That the order of stamps is
   * serial needs of every read that nobody writes between the version read and the reader. Of two
   * transactions that conflict in this way, whichever comes to a replica second is held up there,
   * and some replica prepares both, if both are prepared.
   *
   * @param fenceMicros stamps at or before this time come too late
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
      // A later stamp would have to come after everything up to that time.
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

  /** The time that a write at a stamp would have to come after, 0 when the stamp will do. */
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

  /** Has a transaction count in the validation of others, with its present stamp. */
  void prepare(TxnState txn, long nowMicros) {
    txn.prepared = true;
    for (Read read : txn.reads()) {
      keyOf(read.key(), nowMicros).prepareRead(txn, read.version().writer());
    }
    for (Write write : txn.writes()) {
      keyOf(write.key(), nowMicros).prepareWrite(txn);
    }
  }

  /** Has a transaction count no more, if it does. */
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

  /** Forgets what only concerns stamps at or before a time, which are not proposed any more. */
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

  /** Throws if the state is broken. */
  void checkInvariants() {
    keys.values().forEach(TapirKey::checkInvariants);
  }

  /** The latest stamp of a time. */
  private static TxnId endOf(long timeMicros) {
    return new TxnId(timeMicros, Long.MAX_VALUE, 0);
  }
}
