package org.mortydb.telemetry.pauses;

/**
 * The pauses of one kind.
 *
 * @param count how many there were since the start
 * @param totalMicros how long they lasted in total; every thread that stalls counts for itself
 * @param longestMicros the longest one since the start
 * @param latestLongestMicros the longest one of the last minute
 * @param latestHarmful how many of the last minute were harmful
 * @param latestHarmfulMicros how long these lasted in total
 */
public record PauseSummary(
    long count,
    long totalMicros,
    long longestMicros,
    long latestLongestMicros,
    int latestHarmful,
    long latestHarmfulMicros) {

  /** No pauses. */
  public static final PauseSummary NONE = new PauseSummary(0, 0, 0, 0, 0, 0);
}
