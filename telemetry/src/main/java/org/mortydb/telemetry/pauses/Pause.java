package org.mortydb.telemetry.pauses;

import java.util.Locale;

/**
 * A time for which a process, or one of its threads, stood still.
 *
 * @param kind how it was measured
 * @param endMicros when it ended, in microseconds since 1970
 * @param micros how long it lasted
 */
public record Pause(Kind kind, long endMicros, long micros) {

  /** How a pause was measured. */
  public enum Kind {
    /** The JVM reports that a garbage collection stopped all threads; to the millisecond. */
    COLLECTION,
    /** A thread ran a task late that was due every few milliseconds, whatever the reason. */
    STALL;

    /** Returns the name for programs. */
    public String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns when it began, in microseconds since 1970. */
  public long startMicros() {
    return endMicros - micros;
  }
}
