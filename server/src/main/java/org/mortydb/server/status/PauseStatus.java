package org.mortydb.server.status;

import org.mortydb.telemetry.pauses.Pause;
import org.mortydb.telemetry.pauses.PauseSummary;

/**
 * For how long a server stood still.
 *
 * @param harmfulMicros after a longer pause, clients take the slow path
 * @param collections the pauses of the garbage collector, as the JVM reports them
 * @param stalls the delays of event loops, whatever the reason
 */
public record PauseStatus(long harmfulMicros, PauseSummary collections, PauseSummary stalls) {

  /** Returns the longest pause of the last minute. */
  public long latestLongestMicros() {
    return Math.max(collections.latestLongestMicros(), stalls.latestLongestMicros());
  }

  /** Returns what an operator can do about pauses of a kind. */
  public static String wayOut(Pause.Kind kind) {
    return switch (kind) {
      case COLLECTION ->
          "Use the collector of server.jvm (ZGC), or give the server a larger heap:"
              + " docs/benchmarks/pauses.md";
      case STALL ->
          "Look for collections, a busy or swapping machine, a paused virtual machine, or too few"
              + " cores: docs/how-to/observe.md";
    };
  }
}
