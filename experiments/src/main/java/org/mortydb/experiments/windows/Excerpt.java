package org.mortydb.experiments.windows;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.mortydb.experiments.windows.WindowsRecord.Bar;
import org.mortydb.experiments.windows.WindowsRecord.Timeline;
import org.mortydb.experiments.windows.WindowsRecord.Track;
import org.mortydb.experiments.windows.WindowsStudy.Ran;
import org.mortydb.protocol.model.Key;

/** Selects the part of a run that the picture of a key's windows shows. */
final class Excerpt {
  /** The most rows of the picture. */
  private static final int MOST_UPDATES = 32;

  private static final long LONGEST_NANOS = 2_000_000_000;
  private static final long NANOS_PER_MICRO = 1_000;

  private Excerpt() {}

  /** The middle of the measured time, as long as the updates of every system fit. */
  static Timeline of(List<Ran> all, Key key) {
    long length = LONGEST_NANOS;
    for (Ran ran : all) {
      length = Math.min(length, ran.windows().toNanos() - ran.windows().fromNanos());
    }
    while (length > NANOS_PER_MICRO) {
      long tried = length;
      if (all.stream().allMatch(ran -> updates(ran, key, tried).size() <= MOST_UPDATES)) {
        break;
      }
      length -= Math.max(NANOS_PER_MICRO, length / 16);
    }
    long micros = length / NANOS_PER_MICRO;
    long chosen = micros * NANOS_PER_MICRO;
    return new Timeline(micros, all.stream().map(ran -> track(ran, key, chosen)).toList());
  }

  private static long begin(Windows windows, long length) {
    return windows.fromNanos() + (windows.toNanos() - windows.fromNanos() - length) / 2;
  }

  /** The windows that overlap the time, by their begins. */
  private static Stream<KeyWindow> shown(Ran ran, Key key, long length) {
    long begin = begin(ran.windows(), length);
    return ran.windows().all().stream()
        .filter(window -> window.key().equals(key))
        .filter(
            window ->
                window.firstReadNanos() < begin + length
                    && Math.max(window.endNanos(), window.visibleNanos()) >= begin)
        .sorted(
            Comparator.comparingLong(KeyWindow::readNanos)
                .thenComparingLong(KeyWindow::firstReadNanos)
                .thenComparing(KeyWindow::txn));
  }

  private static List<KeyWindow> updates(Ran ran, Key key, long length) {
    long end = begin(ran.windows(), length) + length;
    return shown(ran, key, length)
        .filter(window -> window.isUpdate() && window.readNanos() < end)
        .toList();
  }

  private static Track track(Ran ran, Key key, long length) {
    long begin = begin(ran.windows(), length);
    return new Track(
        ran.system().name(),
        updates(ran, key, length).stream().map(window -> bar(window, begin)).toList(),
        shown(ran, key, length)
            .filter(window -> !window.isCommitted())
            .sorted(Comparator.comparingLong(KeyWindow::firstReadNanos))
            .map(
                window ->
                    List.of(
                        micros(window.firstReadNanos(), begin), micros(window.endNanos(), begin)))
            .toList());
  }

  private static Bar bar(KeyWindow window, long begin) {
    return new Bar(
        micros(window.firstReadNanos(), begin),
        micros(window.readNanos(), begin),
        micros(Math.max(window.readNanos(), window.visibleNanos()), begin),
        micros(window.endNanos(), begin),
        window.reexecutionNanos().stream().map(nanos -> micros(nanos, begin)).toList());
  }

  private static long micros(long nanos, long begin) {
    return Math.floorDiv(nanos - begin, NANOS_PER_MICRO);
  }
}
