package org.mortydb.protocol.system;

/**
 * The bounds of a randomized exponential back-off.
 *
 * @param baseMicros the bound of the first wait, in microseconds
 * @param capMicros the bound of every wait, in microseconds
 */
public record Backoff(long baseMicros, long capMicros) {

  /** For systems that notice an abort early, and whose aborts cost little. */
  public static Backoff eager(long roundTripMicros) {
    return new Backoff(100 + roundTripMicros / 4, 5_000 + 25 * roundTripMicros / 2);
  }

  /**
   * For systems that notice an abort early, and whose aborts cost processor time: at first as
   * {@link #patient}, and with the round trip as {@link #eager}.
   */
  public static Backoff steady(long roundTripMicros) {
    return new Backoff(1_000 + roundTripMicros / 4, 50_000 + 25 * roundTripMicros / 2);
  }

  /** For systems that make no progress when many transactions retry at once. */
  public static Backoff patient(long roundTripMicros) {
    return new Backoff(1_000 + roundTripMicros, 50_000 + 200 * roundTripMicros);
  }
}
