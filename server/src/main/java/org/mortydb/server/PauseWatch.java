package org.mortydb.server;

import io.netty.channel.EventLoop;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.server.status.PauseStatus;
import org.mortydb.telemetry.pauses.CollectionPauses;
import org.mortydb.telemetry.pauses.Pause;
import org.mortydb.telemetry.pauses.PauseRecorder;
import org.mortydb.telemetry.pauses.StallWatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures for how long a server stands still: what the JVM reports of its collector, and how late
 * the event loops run a timer. Logs pauses after which clients take the slow path. Other processes
 * see the pauses by JMX.
 */
final class PauseWatch implements AutoCloseable {
  /** The domain and type of the names in JMX. */
  static final String JMX_DOMAIN = "org.mortydb";

  /** A longer pause makes clients take the slow path. */
  static final long HARMFUL_MICROS = CoordinatorOptions.DEFAULTS.slowPathMicros();

  /** A process that has just started loads and compiles code. */
  static final long START_MICROS = 10_000_000;

  private static final Logger log = LoggerFactory.getLogger(PauseWatch.class);
  private static final AtomicLong instances = new AtomicLong();

  private final String server;
  private final PauseRecorder recorder = new PauseRecorder();
  private final List<StallWatch> stalls = new ArrayList<>();
  private final HarmfulPauses harmful = new HarmfulPauses();
  private final long countedFromMicros = nowMicros() + START_MICROS;
  private @Nullable CollectionPauses collections;
  private @Nullable ObjectName name;

  PauseWatch(String server) {
    this.server = server;
    recorder.listen(this::report);
  }

  /** Measures from now on, on these event loops. */
  void start(Iterable<EventLoop> loops) {
    collections = new CollectionPauses(recorder);
    loops.forEach(loop -> stalls.add(new StallWatch(loop, recorder)));
    try {
      ObjectName unique =
          new ObjectName(
              "%s:type=Pauses,server=%s,instance=%d"
                  .formatted(JMX_DOMAIN, ObjectName.quote(server), instances.incrementAndGet()));
      beans().registerMBean(recorder, unique);
      name = unique;
    } catch (JMException e) {
      log.warn("server '{}' does not show its pauses by JMX", server, e);
    }
  }

  private static MBeanServer beans() {
    return ManagementFactory.getPlatformMBeanServer();
  }

  /** Adds a listener, which hears of each further pause. */
  void listen(Consumer<Pause> listener) {
    recorder.listen(listener);
  }

  private void report(Pause pause) {
    if (pause.micros() <= HARMFUL_MICROS || pause.startMicros() < countedFromMicros) {
      return;
    }
    LeftOut before = harmful.admit(System.nanoTime(), pause.micros());
    if (before != null) {
      log.warn(
          "server '{}' paused for {} ms ({}), longer than the {} ms after which clients take the"
              + " slow path.{} {}",
          server,
          pause.micros() / 1_000,
          pause.kind().code(),
          HARMFUL_MICROS / 1_000,
          before,
          PauseStatus.wayOut(pause.kind()));
    }
  }

  /**
   * The pauses since the last line of the log that have no line of their own.
   *
   * @param count how many
   * @param longestMicros the longest of them; 0 if there are none
   */
  record LeftOut(long count, long longestMicros) {
    static final LeftOut NONE = new LeftOut(0, 0);

    @Override
    public String toString() {
      return count == 0
          ? ""
          : " The log omits %d more of up to %d ms since its last line about pauses."
              .formatted(count, longestMicros / 1_000);
    }
  }

  /** Admits one line of the log every ten seconds, and one for every very long pause. */
  static final class HarmfulPauses {
    /** A pause that has a line in any case. */
    static final long LONG_MICROS = 500_000;

    private static final long EVERY_NANOS = 10_000_000_000L;

    private boolean any;
    private long lastNanos;
    private LeftOut leftOut = LeftOut.NONE;

    /** Returns what was left out before this pause; null to leave it out too. */
    synchronized @Nullable LeftOut admit(long nowNanos, long micros) {
      if (any && nowNanos - lastNanos < EVERY_NANOS && micros < LONG_MICROS) {
        leftOut = new LeftOut(leftOut.count + 1, Math.max(leftOut.longestMicros, micros));
        return null;
      }
      any = true;
      lastNanos = nowNanos;
      LeftOut before = leftOut;
      leftOut = LeftOut.NONE;
      return before;
    }
  }

  /** Returns the figures so far. For any thread. */
  PauseStatus status() {
    long nowMicros = nowMicros();
    return new PauseStatus(
        HARMFUL_MICROS,
        recorder.summary(Pause.Kind.COLLECTION, nowMicros, HARMFUL_MICROS, countedFromMicros),
        recorder.summary(Pause.Kind.STALL, nowMicros, HARMFUL_MICROS, countedFromMicros));
  }

  private static long nowMicros() {
    return System.currentTimeMillis() * 1_000;
  }

  @Override
  public void close() {
    stalls.forEach(StallWatch::close);
    if (collections != null) {
      collections.close();
    }
    if (name != null) {
      try {
        beans().unregisterMBean(name);
      } catch (JMException e) {
        log.debug("{} was not registered", name, e);
      }
    }
  }
}
