package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.Invariant.require;

import java.util.TreeMap;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.Watermark;
import org.mortydb.protocol.model.TxnId;

/**
 * How far back a replica answers, and how far back it remembers (docs/protocol.md, section 6).
 * Above the fence it serves. Between the watermark and the fence it keeps records, but gives no
 * votes. Below the watermark everything is decided; there it forgets executions, then outcomes.
 */
final class Horizon {
  /** Transactions at or below the fence are too old to be served. Never falls. */
  private TxnId fence = TxnId.INITIAL;

  /** Everything at or below it is decided and known here. Never falls, never above the fence. */
  private TxnId watermark = TxnId.INITIAL;

  /** Outcomes at or below it are forgotten. Never falls. */
  private TxnId forgotten = TxnId.INITIAL;

  /** Executions of transactions at or below it are forgotten. Never falls. */
  private TxnId executionsForgotten = TxnId.INITIAL;

  /** For each partition that still counts the watermark that f+1 of its replicas have reached. */
  private final TreeMap<Integer, TxnId> watermarks = new TreeMap<>();

  /** A partition that was not known counts from now on. It takes part in nothing at or below. */
  void count(int partition, TxnId from) {
    watermarks.putIfAbsent(partition, from);
  }

  /** A partition that takes part in nothing above {@code upTo} counts no more once it is there. */
  void retire(int partition, TxnId upTo) {
    TxnId reached = watermarks.get(partition);
    if (reached != null && !reached.isBefore(upTo)) {
      watermarks.remove(partition);
    }
  }

  TxnId fence() {
    return fence;
  }

  TxnId watermark() {
    return watermark;
  }

  TxnId forgotten() {
    return forgotten;
  }

  TxnId executionsForgotten() {
    return executionsForgotten;
  }

  /** Raises the fence if it is lower. */
  void fence(TxnId newFence, Effects out) {
    if (newFence.isAfter(fence)) {
      fence = newFence;
      out.append(new LogRecord.Fenced(fence));
    }
  }

  /** Everything at or below {@code reached} is decided and known here from now on. */
  void reach(TxnId reached) {
    require(reached.isAfter(watermark), reached, "is not above the watermark that was reached");
    require(!reached.isAfter(fence), reached, "is reached, but not fenced");
    watermark = reached;
  }

  /** This replica has no outcomes at or below {@code outcomes}. */
  void forget(TxnId outcomes) {
    forgotten = outcomes.isAfter(forgotten) ? outcomes : forgotten;
  }

  /**
   * Forgets executions, and the outcomes that no partition and no client can ask for any more.
   *
   * @param executions executions at or below it are forgotten
   * @param aged clients of transactions at or below it are past their deadlines
   */
  void forget(TxnId executions, TxnId aged) {
    TxnId outcomes = aged;
    TxnId everywhere = everywhere();
    outcomes = everywhere.isBefore(outcomes) ? everywhere : outcomes;
    outcomes = executions.isBefore(outcomes) ? executions : outcomes;
    forget(outcomes);
    executionsForgotten =
        executions.isAfter(executionsForgotten) ? executions : executionsForgotten;
  }

  /** Restores from the log what was reached and forgotten. */
  void restore(TxnId reached, TxnId outcomes) {
    watermark = reached.isAfter(watermark) ? reached : watermark;
    forget(outcomes);
  }

  void onWatermark(Watermark reached) {
    watermarks.computeIfPresent(
        reached.partition(), (partition, known) -> ReplicaState.later(known, reached.watermark()));
  }

  /** The watermark that all partitions have reached, as far as this replica knows. */
  TxnId everywhere() {
    TxnId lowest = watermark;
    boolean first = true;
    for (TxnId reached : watermarks.values()) {
      lowest = first || reached.isBefore(lowest) ? reached : lowest;
      first = false;
    }
    return lowest;
  }

  /** Whether a transaction is at or below the fence, so that it may be forgotten. */
  boolean isTooOld(TxnId txn) {
    return !txn.isAfter(fence);
  }

  /** Whether a transaction is at or below the watermark. */
  boolean isTruncated(TxnId txn) {
    return !txn.isAfter(watermark);
  }

  /**
   * Whether a transaction without a record has certainly not committed at this partition: otherwise
   * this replica would still have its outcome.
   */
  boolean neverCommittedHere(TxnId txn) {
    return isTruncated(txn) && txn.isAfter(forgotten);
  }
}
