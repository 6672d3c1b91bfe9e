package org.mortydb.server;

/**
 * A clock that stands still where the one below it jumps back a little. A big jump back is
 * followed: it corrects a clock that was wrong, and waiting for it would take as long. For one
 * thread.
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
