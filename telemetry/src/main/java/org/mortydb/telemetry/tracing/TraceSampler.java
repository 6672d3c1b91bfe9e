package org.mortydb.telemetry.tracing;

import org.mortydb.protocol.model.TxnId;

/**
 * Which transactions are traced: those whose trace's name is below a boundary. Whoever has the same
 * rate decides alike, from the transaction's id alone. What is sampled at a lower rate is sampled
 * at every higher one as well.
 */
final class TraceSampler {
  /** Names are compared as unsigned, without their last bit. */
  private final long boundary;

  /**
   * @param rate the share of transactions that are traced, 0 to 1
   */
  TraceSampler(double rate) {
    if (!(rate >= 0 && rate <= 1)) {
      throw new IllegalArgumentException("the rate of tracing must be 0 to 1, is " + rate);
    }
    // 1 must take all, which a product in floating point would just about miss.
    this.boundary = rate == 1 ? Long.MAX_VALUE : (long) (rate * Long.MAX_VALUE);
  }

  boolean isSampled(TxnId txn) {
    return boundary == Long.MAX_VALUE || (TraceIds.low(txn) >>> 1) < boundary;
  }
}
