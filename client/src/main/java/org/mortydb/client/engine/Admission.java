package org.mortydb.client.engine;

/**
 * How an engine limits its transactions in flight below {@link EngineOptions#maxInFlight}
 * (docs/protocol.md, section 13). A transaction that is not admitted waits in the engine's queue.
 *
 * @param adaptive whether the engine finds the limit by the latency of its own transactions
 * @param most the limit otherwise, at least 1
 */
public record Admission(boolean adaptive, int most) {
  /** No limit but {@link EngineOptions#maxInFlight}. */
  public static final Admission OFF = new Admission(false, Integer.MAX_VALUE);

  /** The engine finds the limit. */
  public static final Admission AUTO = new Admission(true, Integer.MAX_VALUE);

  /**
   * @throws IllegalArgumentException when the limit is not positive
   */
  public Admission {
    if (most < 1) {
      throw new IllegalArgumentException(
          "admission must be limited to at least 1 transaction, but the limit is " + most);
    }
  }

  /** A limit that stays as it is, at least 1. */
  public static Admission of(int most) {
    return new Admission(false, most);
  }
}
