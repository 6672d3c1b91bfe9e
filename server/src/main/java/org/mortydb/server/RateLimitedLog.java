package org.mortydb.server;

import java.util.concurrent.TimeUnit;
import org.mortydb.protocol.model.TxnId;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;

/** Writes at most one warning per second, and counts the others. Used by one thread. */
final class RateLimitedLog {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Logger log;
  private long nextNanos = System.nanoTime();
  private long leftOut;

  RateLimitedLog(Logger log) {
    this.log = log;
  }

  void warn(String format, Object... arguments) {
    if (mayWrite()) {
      log.warn(format, arguments);
      tellLeftOut();
    }
  }

  /** Does the same as {@link #warn} for a warning about a transaction. */
  void warn(TxnId txn, String format, Object... arguments) {
    if (mayWrite()) {
      LoggingEventBuilder event = log.atWarn().addKeyValue(TransactionLog.TXN, txn);
      for (Object argument : arguments) {
        event = event.addArgument(argument);
      }
      event.log(format);
      tellLeftOut();
    }
  }

  private boolean mayWrite() {
    long nowNanos = System.nanoTime();
    if (nowNanos - nextNanos < 0) {
      leftOut++;
      return false;
    }
    nextNanos = nowNanos + PAUSE_NANOS;
    return true;
  }

  private void tellLeftOut() {
    if (leftOut > 0) {
      log.warn("{} warnings of this kind were suppressed before", leftOut);
      leftOut = 0;
    }
  }
}
