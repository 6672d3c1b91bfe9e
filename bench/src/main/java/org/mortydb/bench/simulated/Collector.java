package org.mortydb.bench.simulated;

import java.util.ArrayDeque;
import java.util.List;

/**
 * The concurrent garbage collector of a server: threads of its own, which work on the server's
 * machine as much as its event loops make them. A concurrent collector stops no event loop, but
 * takes a core that another loop may need.
 */
final class Collector {
  /** The longest turn of a thread: the operating system would let an event loop run meanwhile. */
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
    if (owedNanos >= TURN_NANOS && !idle.isEmpty()) {
      begin(idle.remove());
    }
  }

  private void begin(Loop thread) {
    owedNanos -= TURN_NANOS;
    thread.post(
        () -> {
          thread.charge(TURN_NANOS);
          usage.collectorNanos += TURN_NANOS;
          if (owedNanos >= TURN_NANOS) {
            begin(thread);
          } else {
            idle.add(thread);
          }
        });
  }
}
