package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.Invariant.require;

import java.util.Arrays;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.Watermark;
import org.mortydb.protocol.model.TxnId;

/**
 * How far back a replica answers, and how far back it remembers (docs/protocol.md, section 6).
 * Above the fence it serves; between the watermark and the fence it has records and gives no votes
 * to commit; below the watermark all is decided, and executions, then outcomes, are forgotten.
 */
final class Horizon {
  /** Transactions at or below it are too old to be served. Never falls. */
  private TxnId fence = TxnId.INITIAL;

  /** Everything at or below it is decided, and known here. Never falls, never above the fence. */
  private TxnId watermark = TxnId.INITIAL;

  /** Outcomes at or below it are not kept any more. Never falls, never above the watermark. */
  private TxnId forgotten = TxnId.INITIAL;

  /** The executions of transactions at or below it are not kept any more. */
  private TxnId executionsForgotten = TxnId.INITIAL;

  /** The watermark that f+1 replicas have reached, by partition. */
  private final TxnId[] watermarks;

  Horizon(int partitions) {
    this.watermarks = new TxnId[partitions];
    Arrays.fill(watermarks, TxnId.INITIAL);
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

  /** Raises the fence, for good. */
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

  /** Outcomes at or below {@code outcomes} are not here. */
  void forget(TxnId outcomes) {
    forgotten = outcomes.isAfter(forgotten) ? outcomes : forgotten;
  }

  /**
   * Forgets executions, and those outcomes that no partition can ask for any more, nor any client
   * that is still within its deadline.
   *
   * @param executions up to where executions are forgotten
   * @param aged where the transactions end whose clients are past their deadlines
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

  /** What a log says that had been reached and forgotten. */
  void restore(TxnId reached, TxnId outcomes) {
    watermark = reached.isAfter(watermark) ? reached : watermark;
    forget(outcomes);
  }

  void onWatermark(Watermark reached) {
    int partition = reached.partition();
    if (partition >= 0
        && partition < watermarks.length
        && reached.watermark().isAfter(watermarks[partition])) {
      watermarks[partition] = reached.watermark();
    }
  }

  /** The watermark that all partitions have reached, as far as is known. */
  TxnId everywhere() {
    TxnId lowest = watermarks[0];
    for (TxnId reached : watermarks) {
      if (reached.isBefore(lowest)) {
        lowest = reached;
      }
    }
    return lowest;
  }

  /** Below the fence: what this replica knew of it may be forgotten. */
  boolean isTooOld(TxnId txn) {
    return !txn.isAfter(fence);
  }

  /** Whether all that can be said of the transaction is in the watermark. */
  boolean isTruncated(TxnId txn) {
    return !txn.isAfter(watermark);
  }

  /**
   * Whether a transaction without a record has not committed for certain, as far as this partition
   * took part in it: if it had, this replica would have the outcome still.
   */
  boolean neverCommittedHere(TxnId txn) {
    return isTruncated(txn) && txn.isAfter(forgotten);
  }
}
