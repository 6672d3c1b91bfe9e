package org.mortydb.server.admin;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.mortydb.protocol.model.Key;
import org.mortydb.telemetry.metrics.WindowListener;

/**
 * The keys that most transactions have read lately, with their last windows. Collects only while
 * somebody looks.
 */
final class HotKeys implements WindowListener {
  /** For so long after a look windows are collected for the next one. */
  private static final long WANTED_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Windows that closed longer ago are not shown. */
  private static final long SHOWN_MICROS = 10_000_000;

  /** The weight of a window is halved in this time. */
  private static final double HALF_LIFE_MICROS = 5_000_000;

  private static final int MOST_KEYS = 1024;
  private static final int MOST_WINDOWS = 48;

  private volatile long wantedUntilNanos = System.nanoTime() - 1;

  /** In the order in which they were last read. Guarded by this. */
  private final LinkedHashMap<Key, Entry> keys = new LinkedHashMap<>(16, 0.75f, true);

  /** One key. */
  private static final class Entry {
    private final ArrayDeque<KeyWindow> windows = new ArrayDeque<>();
    private double weight;
    private long weighedMicros;

    void add(KeyWindow window) {
      weight = weight(window.decidedMicros()) + 1;
      weighedMicros = window.decidedMicros();
      if (windows.size() == MOST_WINDOWS) {
        windows.remove();
      }
      windows.add(window);
    }

    double weight(long nowMicros) {
      double passedMicros = Math.max(0, nowMicros - weighedMicros);
      return weight * Math.pow(0.5, passedMicros / HALF_LIFE_MICROS);
    }
  }

  /**
   * A key that is read much.
   *
   * @param key which
   * @param perSecond windows that close in a second, about
   * @param windows the last ones, oldest first
   */
  record HotKey(Key key, double perSecond, List<KeyWindow> windows) {}

  @Override
  public boolean isListening() {
    return System.nanoTime() - wantedUntilNanos < 0;
  }

  @Override
  public synchronized void closed(KeyWindow window) {
    Entry entry = keys.get(window.key());
    if (entry == null) {
      entry = new Entry();
      keys.put(window.key(), entry);
      if (keys.size() > MOST_KEYS) {
        Iterator<Key> eldest = keys.keySet().iterator();
        eldest.next();
        eldest.remove();
      }
    }
    entry.add(window);
  }

  /**
   * The hottest keys, hottest first; from now on, for a while, windows are collected.
   *
   * @param most how many
   */
  List<HotKey> hottest(int most, long nowMicros) {
    wantedUntilNanos = System.nanoTime() + WANTED_NANOS;
    List<HotKey> hot = new ArrayList<>();
    synchronized (this) {
      keys.forEach(
          (key, entry) -> {
            List<KeyWindow> shown =
                entry.windows.stream()
                    .filter(window -> nowMicros - window.decidedMicros() < SHOWN_MICROS)
                    .toList();
            if (!shown.isEmpty()) {
              // In a steady state the weight is the rate times the half-life over ln 2.
              double perSecond = entry.weight(nowMicros) * Math.log(2) / HALF_LIFE_MICROS * 1e6;
              hot.add(new HotKey(key, perSecond, shown));
            }
          });
    }
    hot.sort(Comparator.comparingDouble(HotKey::perSecond).reversed());
    return hot.subList(0, Math.min(most, hot.size()));
  }
}
