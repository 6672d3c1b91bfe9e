package org.mortydb.transport;

/**
 * The longest region slots that the clients of a server would use, as they have told it lately
 * (docs/protocol.md, section 12). What is not repeated is forgotten after {@link #KEPT_NANOS} at
 * the earliest, and twice that at the latest. Safe to use on any thread.
 */
public final class LongestSlots {
  /** For so long at least a length counts, in nanoseconds. Clients repeat it more often. */
  public static final long KEPT_NANOS = 1_000_000_000L;

  private static final int MOST_MICROS = 1_000_000;

  private long sinceNanos;
  private int longest;
  private int before;

  /** Nobody uses slots. */
  public LongestSlots() {}

  /**
   * Takes what a client says.
   *
   * @param slotMicros a length in microseconds, 0 for none. Of numbers out of range, the nearest
   *     length counts
   * @param nowNanos a clock that does not jump
   * @return the longest length, in microseconds; 0 for none
   */
  public synchronized int longest(int slotMicros, long nowNanos) {
    long passed = nowNanos - sinceNanos;
    if (passed < 0 || passed >= KEPT_NANOS) {
      before = passed >= 0 && passed < 2 * KEPT_NANOS ? longest : 0;
      longest = 0;
      sinceNanos = nowNanos;
    }
    longest = Math.max(longest, Math.clamp(slotMicros, 0, MOST_MICROS));
    return Math.max(longest, before);
  }
}
