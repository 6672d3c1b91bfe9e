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
 * The keys that most transactions have read recently, with their last windows. It collects only
 * while something asks for them.
 */
final class HotKeys implements WindowListener {
  /** How long windows are collected after a request. */
  private static final long WANTED_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Older windows are not shown. */
  private static final long SHOWN_MICROS = 10_000_000;

  /** The time in which the weight of a window halves. */
  private static final double HALF_LIFE_MICROS = 5_000_000;

  private static final int MOST_KEYS = 1024;
  private static final int MOST_WINDOWS = 48;

  private volatile long wantedUntilNanos = System.nanoTime() - 1;

  /** In the order of the last reads. Guarded by this. */
  private final LinkedHashMap<Key, Entry> keys = new LinkedHashMap<>(16, 0.75f, true);

  /** The windows of a key. */
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
   * A key that many transactions read.
   *
   * @param key the key
   * @param perSecond an estimate of how many windows close per second
   * @param windows the last windows, oldest first
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
   * Returns the hottest keys, hottest first, and collects windows for the next 10 s.
   *
   * @param most how many keys at most
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
