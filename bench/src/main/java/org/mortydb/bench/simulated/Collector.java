package org.mortydb.bench.simulated;

import java.util.ArrayDeque;
import java.util.List;

/**
 * The concurrent garbage collector of a server: threads of its own, which work on the server's
 * machine as much as its event loops make them. A concurrent collector stops no event loop, but
 * takes a core that another loop may need.
 */
final class Collector {
  /** The shortest turn of a thread. */
  private static final long TURN_NANOS = 50_000;

  private final Loop.Usage usage;
  private final double share;
  private final ArrayDeque<Loop> idle = new ArrayDeque<>();
  private double owedNanos;

  /**
   * @param usage the processor time of the server
   * @param share the work of the collector by that of the event loops on messages
   * @param threads its threads, whose turns have no costs of their own
   */
  Collector(Loop.Usage usage, double share, List<Loop> threads) {
    this.usage = usage;
    this.share = share;
    this.idle.addAll(threads);
  }

  /** An event loop of the server has worked on messages. */
  void worked(long nanos) {
    owedNanos += nanos * share;
    while (owedNanos >= TURN_NANOS && !idle.isEmpty()) {
      owedNanos -= TURN_NANOS;
      Loop thread = idle.remove();
      thread.post(() -> collect(thread));
    }
  }

  /**
   * A turn of a thread. It also works on what has come up since the thread became ready: cores take
   * turns, and those of the event loops may be long.
   */
  private void collect(Loop thread) {
    long more = Math.max(0, (long) owedNanos);
    owedNanos -= more;
    thread.charge(TURN_NANOS + more);
    usage.collectorNanos += TURN_NANOS + more;
    idle.add(thread);
  }
}
