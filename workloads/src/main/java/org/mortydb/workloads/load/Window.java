package org.mortydb.workloads.load;

/**
 * The measured time, in nanoseconds of the load's clock: from {@code startNanos} (inclusive) to
 * {@code endNanos} (exclusive).
 */
public record Window(long startNanos, long endNanos) {

  boolean contains(long nanos) {
    return nanos - startNanos >= 0 && nanos - endNanos < 0;
  }

  /** Its length in seconds. */
  public double seconds() {
    return (endNanos - startNanos) / 1e9;
  }
}
