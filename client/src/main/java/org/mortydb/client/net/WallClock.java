package org.mortydb.client.net;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * The wall clock in microseconds. It follows the cheap monotonic clock and reads the wall clock
 * once a second, so it jumps after the wall clock was set.
 */
final class WallClock {
  private static final long ANCHOR_NANOS = TimeUnit.SECONDS.toNanos(1);

  private long anchorNanos;
  private long anchorMicros;

  WallClock() {
    anchor(System.nanoTime());
  }

  long nowMicros() {
    long nanos = System.nanoTime();
    if (nanos - anchorNanos > ANCHOR_NANOS) {
      anchor(nanos);
    }
    return anchorMicros + (nanos - anchorNanos) / 1_000;
  }

  private void anchor(long nanos) {
    Instant now = Instant.now();
    anchorNanos = nanos;
    anchorMicros = now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }
}
