package org.mortydb.client.net;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ServerSpec;
import org.mortydb.transport.Link;

/**
 * Measures the delays to other regions, four times a second, and agrees with other clients on the
 * length of region slots (docs/protocol.md, section 12). The shortest of the latest round trips
 * counts, because the others have waited for busy processes. Used on one event loop.
 */
final class Delays {
  private static final long INTERVAL_MILLIS = 250;

  /** By so much the shortest round trip grows with each measurement, until it is confirmed. */
  private static final double FORGETTING = 1.005;

  private final EventLoop loop;
  private final String region;

  /** The links that are measured, by number. */
  private final Map<Integer, Measured> measured = new TreeMap<>();

  private static final class Measured {
    final ServerSpec server;
    final Link link;

    /** The shortest recent round trip in microseconds; 0 if none was measured. */
    double shortest;

    Measured(ServerSpec server, Link link) {
      this.server = server;
      this.link = link;
    }
  }

  private @Nullable Future<?> next;
  private final LongSupplier slotMicros;
  private long farthestMicros;
  private long longestSlotMicros;

  /**
   * @param slotMicros the length of the slots that this client would use; 0 for none
   */
  Delays(EventLoop loop, String region, LongSupplier slotMicros) {
    this.loop = loop;
    this.region = region;
    this.slotMicros = slotMicros;
  }

  void add(int number, ServerSpec server, Link link) {
    measured.put(number, new Measured(server, link));
  }

  void remove(int number) {
    measured.remove(number);
  }

  /** The delay to the farthest other region, one way, in microseconds; 0 if it is not known. */
  long farthestMicros() {
    return farthestMicros;
  }

  /** The longest slots that clients would use, in microseconds, as servers say; any number. */
  long longestSlotMicros() {
    return longestSlotMicros;
  }

  void begin() {
    next =
        loop.scheduleAtFixedRate(
            this::measure, INTERVAL_MILLIS / 2, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
  }

  void end() {
    if (next != null) {
      next.cancel(false);
    }
  }

  /** Takes the answers to the Pings of the last time, and sends new ones. */
  private void measure() {
    TreeMap<String, Double> closest = new TreeMap<>();
    int own = (int) slotMicros.getAsLong();
    long longest = 0;
    for (Measured one : measured.values()) {
      long tookMicros = one.link.isUp() ? one.link.counters().roundTripMicros() : 0;
      if (tookMicros > 0) {
        double kept = one.shortest == 0 ? Double.MAX_VALUE : one.shortest * FORGETTING;
        one.shortest = Math.min(kept, tookMicros);
      }
      if (one.shortest > 0 && !one.server.region().equals(region)) {
        closest.merge(one.server.region(), one.shortest, Math::min);
      }
      if (one.link.isUp()) {
        longest = Math.max(longest, one.link.counters().slotMicros());
        one.link.ping(own);
      }
    }
    double farthest = closest.values().stream().mapToDouble(d -> d).max().orElse(0);
    farthestMicros = Math.round(farthest / 2);
    longestSlotMicros = longest;
  }
}
