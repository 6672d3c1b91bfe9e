package org.mortydb.experiments.windows;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.mortydb.protocol.model.Key;

/**
 * The windows of one run.
 *
 * @param all a window for each attempt and key that it read
 * @param fromNanos the begin of the measured time
 * @param toNanos the end of the measured time
 * @param unseen the reads of committed transactions without a known time
 */
record Windows(List<KeyWindow> all, long fromNanos, long toNanos, int unseen) {
  private static final int DIGITS = 3;
  private static final long NANOS_PER_MICRO = 1_000;

  Windows {
    all = List.copyOf(all);
  }

  /**
   * The pairs of consecutive updates of a key in the serial order.
   *
   * @param pairs the pairs whose second update has read the write of the first
   * @param overlapping the pairs of these with overlapping serialization windows
   * @param separated the pairs whose second update has read another version; in a serializable
   *     history a blind write lies between them
   */
  record Order(long pairs, long overlapping, long separated) {}

  /** The windows of a key. */
  Windows of(Key key) {
    return new Windows(
        all.stream().filter(window -> window.key().equals(key)).toList(),
        fromNanos,
        toNanos,
        unseen);
  }

  /** The measured time in seconds. */
  double seconds() {
    return (toNanos - fromNanos) / 1e9;
  }

  /** Committed transactions that read and wrote a key. */
  Stream<KeyWindow> updates() {
    return all.stream().filter(KeyWindow::isUpdate);
  }

  /** Committed transactions that read a key. */
  Stream<KeyWindow> committed() {
    return all.stream().filter(KeyWindow::isCommitted);
  }

  /** Attempts that read a key and aborted. */
  Stream<KeyWindow> aborted() {
    return all.stream().filter(window -> !window.isCommitted());
  }

  /** A histogram of microseconds. */
  static Histogram micros(Stream<KeyWindow> windows, ToLongFunction<KeyWindow> nanos) {
    Histogram histogram = new Histogram(DIGITS);
    windows.forEach(
        window -> histogram.recordValue(Math.max(0, nanos.applyAsLong(window)) / NANOS_PER_MICRO));
    return histogram;
  }

  /** Compares the windows of updates of each key with those of their predecessors. */
  Order order() {
    Map<Key, List<KeyWindow>> byKey = new LinkedHashMap<>();
    updates()
        .sorted(Comparator.comparing(KeyWindow::position))
        .forEach(
            window -> byKey.computeIfAbsent(window.key(), any -> new ArrayList<>()).add(window));
    long pairs = 0;
    long overlapping = 0;
    long separated = 0;
    for (List<KeyWindow> windows : byKey.values()) {
      for (int i = 1; i < windows.size(); i++) {
        KeyWindow before = windows.get(i - 1);
        KeyWindow after = windows.get(i);
        if (before.wrote(after.read())) {
          pairs++;
          overlapping += after.readNanos() < before.visibleNanos() ? 1 : 0;
        } else {
          separated++;
        }
      }
    }
    return new Order(pairs, overlapping, separated);
  }

  /**
   * The share of time within the serialization window of a committed update, for the windows of one
   * key.
   */
  double occupied() {
    return updates().mapToLong(KeyWindow::serializationNanos).sum()
        / (double) (toNanos - fromNanos);
  }
}
