package org.mortydb.server;

/**
 * A clock that stands still while the underlying clock is back by at most a second. It follows a
 * larger jump back: such a jump corrects a wrong clock, and standing still would take as long. Used
 * by one thread.
 */
final class SteadyClock {
  private static final long LONGEST_STANDSTILL_MICROS = 1_000_000;

  private final MicrosClock clock;
  private long lastMicros = Long.MIN_VALUE;

  SteadyClock(MicrosClock clock) {
    this.clock = clock;
  }

  long nowMicros() {
    long nowMicros = clock.nowMicros();
    boolean smallJumpBack =
        nowMicros < lastMicros && nowMicros >= lastMicros - LONGEST_STANDSTILL_MICROS;
    if (!smallJumpBack) {
      lastMicros = nowMicros;
    }
    return lastMicros;
  }
}
