package org.mortydb.transport;

import java.util.concurrent.TimeUnit;
import org.mortydb.protocol.model.TxnId;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Writes a few warnings at once, then at most one per second, and counts the others. So nobody can
 * fill the log by sending nonsense. Safe for use by several threads.
 */
public final class RateLimitedLog {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Logger log;
  private final long burstNanos;
  private long nextNanos;
  private long leftOut;

  /** A log that writes at most one warning per second. */
  public RateLimitedLog(Logger log) {
    this(log, 1);
  }

  /**
   * A log that may write more after a pause.
   *
   * @param burst how many warnings may come at once
   */
  public RateLimitedLog(Logger log, int burst) {
    this.log = log;
    this.burstNanos = burst * PAUSE_NANOS;
    this.nextNanos = System.nanoTime() - burstNanos;
  }

  /** Writes a warning, unless there were too many. */
  public void warn(String format, Object... arguments) {
    write(log.atLevel(Level.WARN), format, arguments);
  }

  /**
   * Does the same as {@link #warn} for a warning about a transaction, under the key {@code txn}.
   */
  public void warn(TxnId txn, String format, Object... arguments) {
    write(log.atLevel(Level.WARN).addKeyValue("txn", txn), format, arguments);
  }

  /** Does the same as {@link #warn} for an error with its cause. */
  public void error(Throwable cause, String format, Object... arguments) {
    write(log.atLevel(Level.ERROR).setCause(cause), format, arguments);
  }

  private void write(LoggingEventBuilder event, String format, Object... arguments) {
    long before = admit();
    if (before < 0) {
      return;
    }
    for (Object argument : arguments) {
      event = event.addArgument(argument);
    }
    event.log(format);
    if (before > 0) {
      log.warn("{} warnings of this kind were suppressed before", before);
    }
  }

  /** Returns how many warnings were left out before this one; -1 if this one is left out too. */
  private synchronized long admit() {
    long nowNanos = System.nanoTime();
    if (nowNanos - nextNanos < 0) {
      leftOut++;
      return -1;
    }
    nextNanos = Math.max(nextNanos, nowNanos - burstNanos) + PAUSE_NANOS;
    long before = leftOut;
    leftOut = 0;
    return before;
  }
}
