package org.mortydb.client.engine;

import java.util.Map;
import java.util.TreeMap;

/**
 * Gives each transaction of an engine a time of its own, close to the clock. Times ascend, except
 * after the clock was set back: then they follow the clock, pass over the times that were given out
 * before, and stay above the commits of the session. So an engine whose clock was wrong once is not
 * refused until real time has caught up.
 */
final class Timestamps {
  /** A clock that is set back by less is waited for. */
  static final long JUMP_MICROS = 1_000_000;

  /** How many runs are kept apart. */
  private static final int MOST_RUNS = 64;

  /** First and last time of each earlier run of ascending times; runs do not overlap. */
  private final TreeMap<Long, Long> runs = new TreeMap<>();

  private final Session session;
  private long first;
  private long last;

  Timestamps(Session session) {
    this.session = session;
  }

  /**
   * Returns a time that was not returned before.
   *
   * @param nowMicros the clock
   */
  long next(long nowMicros) {
    long wanted = Math.max(nowMicros, session.newestMicros() + 1);
    boolean jumped = Math.abs(wanted - last) > JUMP_MICROS;
    if (jumped) {
      endRun();
    }
    long time = jumped ? wanted : Math.max(wanted, last + 1);
    long free = firstFree(time);
    if (!jumped && free != time) {
      endRun();
    }
    first = jumped || free != time ? free : first;
    last = free;
    return free;
  }

  /** The first time from {@code time} on that no earlier run has. */
  private long firstFree(long time) {
    long free = time;
    for (Map.Entry<Long, Long> run = runs.floorEntry(free);
        run != null && run.getValue() >= free;
        run = runs.floorEntry(free)) {
      free = run.getValue() + 1;
    }
    return free;
  }

  /** The current run is over. When there are too many runs, the two lowest become one. */
  private void endRun() {
    Map.Entry<Long, Long> below = runs.floorEntry(first);
    if (last > 0 && (below == null || below.getValue() < last)) {
      runs.subMap(first, last).clear(); // those that this one has passed over
      runs.put(first, last);
    }
    if (runs.size() > MOST_RUNS) {
      long lowest = runs.pollFirstEntry().getKey();
      runs.put(lowest, runs.pollFirstEntry().getValue());
    }
  }
}
