package org.mortydb.config;

/**
 * The setting {@code client.region-slots}: whether the transactions of a region take ids that lie
 * together.
 *
 * @param adaptive whether clients decide when to use slots, and how long they are
 * @param lengthMicros the length of a slot otherwise, in microseconds; 0 for none
 */
public record SlotSetting(boolean adaptive, long lengthMicros) {
  /** Clients decide. */
  public static final SlotSetting AUTO = new SlotSetting(true, 0);

  /** No slots. */
  public static final SlotSetting OFF = new SlotSetting(false, 0);

  /**
   * So far ahead of the clock may slots lead, as a part of the allowed skew: clocks need the rest.
   */
  private static final double MOST_OF_SKEW = 0.6;

  private static final long MOST_MICROS = 1_000_000;

  /** How far ahead of the clock slots may lead, in microseconds. */
  public static long mostAheadMicros(long allowedSkewMicros) {
    return (long) (MOST_OF_SKEW * allowedSkewMicros);
  }

  /**
   * The longest slot that may be set, in microseconds.
   *
   * @param waits whether commits wait until all clocks have passed them, so that slots must lie
   *     ahead of the clock
   */
  static long longestMicros(long allowedSkewMicros, int regions, boolean waits) {
    return waits
        ? Math.min(MOST_MICROS, mostAheadMicros(allowedSkewMicros) / Math.max(1, regions - 1))
        : MOST_MICROS;
  }
}
