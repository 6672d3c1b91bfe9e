package org.mortydb.baselines.twophase;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.twophase.Participation.Phase;
import org.mortydb.protocol.model.TxnId;

/**
 * The transactions that a leader knows. An ended transaction is remembered for the retention time,
 * and a commit at its coordinator until all participants have acknowledged it. After that, a fence
 * refuses late messages.
 */
final class Participations {
  private final HashMap<TxnId, Participation> known = new HashMap<>();
  private final LinkedHashMap<TxnId, Participation> open = new LinkedHashMap<>();
  private final LinkedHashMap<TxnId, Participation> unacknowledged = new LinkedHashMap<>();

  /** Ordered by the end of the transactions. */
  private final ArrayDeque<Participation> ended = new ArrayDeque<>();

  private long fenceMicros;

  @Nullable Participation get(TxnId txn) {
    return known.get(txn);
  }

  /** Whether an unknown transaction may have been known before. */
  boolean isForgotten(TxnId txn) {
    return txn.timeMicros() <= fenceMicros;
  }

  /** The transactions without an outcome, in the order of arrival. */
  Collection<Participation> open() {
    return open.values();
  }

  /** The commits that some participant has not acknowledged. */
  Collection<Participation> unacknowledged() {
    return unacknowledged.values();
  }

  /** The number of remembered transactions. */
  int size() {
    return known.size();
  }

  Participation open(TxnId txn, long ageMicros, long nowMicros) {
    Participation p = new Participation(txn, ageMicros);
    p.heardMicros = nowMicros;
    known.put(txn, p);
    open.put(txn, p);
    return p;
  }

  /** Records the abort of an unknown transaction. */
  Participation closed(TxnId txn, long nowMicros) {
    Participation p = new Participation(txn, txn.timeMicros());
    p.phase = Phase.DONE;
    p.doneMicros = nowMicros;
    known.put(txn, p);
    ended.add(p);
    return p;
  }

  void close(Participation p, long nowMicros) {
    open.remove(p.txn());
    p.doneMicros = nowMicros;
    p.forgetSets();
    ended.add(p);
  }

  void awaitAcknowledgements(Participation p) {
    unacknowledged.put(p.txn(), p);
  }

  void acknowledge(TxnId txn, int partition, int self) {
    Participation p = unacknowledged.get(txn);
    if (p != null) {
      p.informed.set(partition);
      if (p.isAcknowledged(self)) {
        unacknowledged.remove(txn);
      }
    }
  }

  /**
   * Forgets transactions that began and ended at or before a time. A transaction with a timestamp
   * in the future is remembered until that time, so that the fence does not refuse other
   * transactions too early.
   */
  void forget(long horizonMicros) {
    for (int i = ended.size(); i > 0; i--) {
      Participation oldest = ended.getFirst();
      if (oldest.doneMicros > horizonMicros) {
        return;
      }
      ended.removeFirst();
      if (unacknowledged.containsKey(oldest.txn()) || oldest.txn().timeMicros() > horizonMicros) {
        ended.addLast(oldest);
      } else {
        known.remove(oldest.txn());
        fenceMicros = Math.max(fenceMicros, oldest.txn().timeMicros());
      }
    }
  }
}
