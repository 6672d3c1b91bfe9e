package org.mortydb.protocol.past;

import org.mortydb.protocol.model.TxnId;

/** Places of the serial order at which transactions read (docs/protocol.md, section 16). */
public final class Places {
  private Places() {}

  /**
   * The place of a reader that reads as of a watermark: at or below it, and not that of another
   * reader or of a writer.
   *
   * @param reader the id of the reading transaction
   */
  public static TxnId of(TxnId reader, TxnId watermark) {
    TxnId place = reader.at(watermark.timeMicros());
    return place.isAfter(watermark) ? reader.at(before(watermark).timeMicros()) : place;
  }

  /** The end of the microsecond before a watermark: no place of a reader there is lower. */
  public static TxnId before(TxnId watermark) {
    return new TxnId(Math.max(0, watermark.timeMicros() - 1), Long.MIN_VALUE, 0);
  }

  /** The lowest place at a time. */
  public static TxnId from(long timeMicros) {
    return new TxnId(Math.max(0, timeMicros), Long.MIN_VALUE, 0);
  }
}
