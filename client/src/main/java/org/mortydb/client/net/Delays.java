package org.mortydb.client.net;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ServerSpec;
import org.mortydb.transport.Link;

/**
 * Measures the delays to other regions, once a second. The shortest of the latest round trips
 * counts, because the others have waited for busy processes. Used on one event loop.
 */
final class Delays {
  private static final long INTERVAL_MILLIS = 1_000;

  /** By so much the shortest round trip grows with each measurement, until it is confirmed. */
  private static final double FORGETTING = 1.02;

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
  private long farthestMicros;

  Delays(EventLoop loop, String region) {
    this.loop = loop;
    this.region = region;
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

  void begin() {
    next =
        loop.scheduleAtFixedRate(
            this::measure, INTERVAL_MILLIS / 10, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
  }

  void end() {
    if (next != null) {
      next.cancel(false);
    }
  }

  /** Takes the answers to the Pings of the last time, and sends new ones. */
  private void measure() {
    TreeMap<String, Double> closest = new TreeMap<>();
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
        one.link.ping();
      }
    }
    double farthest = closest.values().stream().mapToDouble(d -> d).max().orElse(0);
    farthestMicros = Math.round(farthest / 2);
  }
}
