package org.mortydb.transport;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import org.mortydb.protocol.model.TxnId;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A log of one kind of warning that peers can cause. It writes some at once, then at most one line
 * per second, which says how many others it left out. It writes the same line at most once a
 * minute. So nobody can fill a disk by sending nonsense. What it leaves out, it writes at level
 * debug. Safe for use by several threads.
 */
public final class RateLimitedLog {
  /** How many warnings may come at once after a pause. */
  static final int BURST = 100;

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long BURST_NANOS = BURST * PAUSE_NANOS;

  /** How many different lines it remembers, to write each only once a minute. */
  static final int REMEMBERED = 64;

  private static final long REPEAT_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Logger log;
  private final SequencedMap<String, Long> writtenNanos = new LinkedHashMap<>();
  private long nextNanos = System.nanoTime() - BURST_NANOS;
  private long leftOut;

  /** A log that writes to another. */
  public RateLimitedLog(Logger log) {
    this.log = log;
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
    long before = admit(format, arguments);
    if (before < 0) {
      log.debug(format, arguments);
      return;
    }
    for (Object argument : arguments) {
      event = event.addArgument(argument);
    }
    if (before > 0) {
      event.addArgument(before).log(format + " [{} more of this kind were left out before]");
    } else {
      event.log(format);
    }
  }

  /** Returns how many warnings were left out before this one; -1 if this one is left out too. */
  private synchronized long admit(String format, Object... arguments) {
    long nowNanos = System.nanoTime();
    if (nowNanos - nextNanos < 0) {
      leftOut++;
      return -1;
    }
    String line = format + Arrays.toString(arguments);
    Long beforeNanos = writtenNanos.get(line);
    if (beforeNanos != null && nowNanos - beforeNanos < REPEAT_NANOS) {
      leftOut++;
      return -1;
    }
    writtenNanos.remove(line); // so that it becomes the youngest
    writtenNanos.put(line, nowNanos);
    if (writtenNanos.size() > REMEMBERED) {
      writtenNanos.pollFirstEntry();
    }
    nextNanos = Math.max(nextNanos, nowNanos - BURST_NANOS) + PAUSE_NANOS;
    long before = leftOut;
    leftOut = 0;
    return before;
  }
}
