package org.mortydb.protocol.past;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;

/**
 * The newest place of the past that replicas have told a client of: they can read it in every
 * partition. So a transaction chooses its place without a question (docs/protocol.md, section 16).
 *
 * <p>Single-threaded: the transactions of one engine share it.
 */
public final class HeardPlaces {
  /** A place that was heard of longer ago is not the newest any more. */
  private static final long FRESH_MICROS = 200_000;

  private TxnId newest = TxnId.INITIAL;
  private long heardMicros;

  /** A client that has heard of no place. */
  public HeardPlaces() {}

  /**
   * A replica has told of a place.
   *
   * @param nowMicros the client's clock in microseconds
   */
  void heard(TxnId place, long nowMicros) {
    if (!place.isBefore(newest)) {
      newest = place;
      heardMicros = nowMicros;
    }
  }

  /**
   * Whether no replica can read a place yet, as far as is known: the newest one that was heard of
   * lately is below, even if it has risen with the clock since.
   *
   * @param nowMicros the client's clock in microseconds
   */
  public boolean isAboveAll(TxnId place, long nowMicros) {
    long since = Math.abs(nowMicros - heardMicros);
    return since <= FRESH_MICROS
        && !newest.equals(TxnId.INITIAL)
        && newest.timeMicros() + since < place.timeMicros();
  }

  /** The place was of no use: a replica did not have it. */
  void forget() {
    newest = TxnId.INITIAL;
  }

  /**
   * The place of a reader.
   *
   * @param lowest the lowest place that will do
   * @return null if no place was heard of lately, or only lower ones
   */
  @Nullable TxnId fresh(TxnId reader, TxnId lowest, long nowMicros) {
    boolean late = Math.abs(nowMicros - heardMicros) > FRESH_MICROS;
    if (late || newest.equals(TxnId.INITIAL)) {
      return null;
    }
    TxnId place = Places.of(reader, newest);
    return place.isBefore(lowest) ? null : place;
  }
}
