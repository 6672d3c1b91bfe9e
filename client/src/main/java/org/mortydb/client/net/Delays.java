package org.mortydb.client.net;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.List;
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
  private final Link[] links;
  private final List<ServerSpec> servers;
  private final String region;

  /** The shortest recent round trip to each server, in microseconds; 0 if none was measured. */
  private final double[] shortest;

  private @Nullable Future<?> next;
  private long farthestMicros;

  Delays(EventLoop loop, Link[] links, List<ServerSpec> servers, String region) {
    this.loop = loop;
    this.links = links;
    this.servers = servers;
    this.region = region;
    this.shortest = new double[links.length];
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
    for (int i = 0; i < links.length; i++) {
      long tookMicros = links[i].isUp() ? links[i].counters().roundTripMicros() : 0;
      if (tookMicros > 0) {
        double kept = shortest[i] == 0 ? Double.MAX_VALUE : shortest[i] * FORGETTING;
        shortest[i] = Math.min(kept, tookMicros);
      }
      if (shortest[i] > 0 && !servers.get(i).region().equals(region)) {
        closest.merge(servers.get(i).region(), shortest[i], Math::min);
      }
      if (links[i].isUp()) {
        links[i].ping();
      }
    }
    double farthest = closest.values().stream().mapToDouble(d -> d).max().orElse(0);
    farthestMicros = Math.round(farthest / 2);
  }
}
