package org.mortydb.telemetry.tracing;

import org.mortydb.protocol.model.TxnId;

/**
 * Decides which transactions are traced: those with a trace id below a boundary. The decision
 * depends only on the rate and the transaction's id, so all processes agree. A transaction that is
 * sampled at one rate is sampled at every higher rate.
 */
final class TraceSampler {
  /** Trace ids are compared as unsigned numbers without their last bit. */
  private final long boundary;

  /**
   * @param rate the share of transactions that are traced, 0 to 1
   */
  TraceSampler(double rate) {
    if (!(rate >= 0 && rate <= 1)) {
      throw new IllegalArgumentException("the rate of tracing must be 0 to 1, is " + rate);
    }
    // A rate of 1 must sample every transaction; the rounded product would miss the highest ids.
    this.boundary = rate == 1 ? Long.MAX_VALUE : (long) (rate * Long.MAX_VALUE);
  }

  boolean isSampled(TxnId txn) {
    return boundary == Long.MAX_VALUE || (TraceIds.low(txn) >>> 1) < boundary;
  }
}
