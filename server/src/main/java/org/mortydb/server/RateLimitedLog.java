package org.mortydb.server;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** Writes at most one warning a second, and says how many it left out. For one thread. */
final class RateLimitedLog {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Logger log;
  private long nextNanos = System.nanoTime();
  private long leftOut;

  RateLimitedLog(Logger log) {
    this.log = log;
  }

  void warn(String format, Object... arguments) {
    long nowNanos = System.nanoTime();
    if (nowNanos - nextNanos < 0) {
      leftOut++;
      return;
    }
    nextNanos = nowNanos + PAUSE_NANOS;
    log.warn(format, arguments);
    if (leftOut > 0) {
      log.warn("{} warnings like that were left out before", leftOut);
      leftOut = 0;
    }
  }
}
