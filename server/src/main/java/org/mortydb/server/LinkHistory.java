package org.mortydb.server;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/** What happened to the links to one other server. Safe for any thread. */
final class LinkHistory {
  /** How long a break counts as recent. */
  private static final long RECENT_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Enough to tell that a link breaks again and again. */
  private static final int MOST_REMEMBERED = 64;

  private final ArrayDeque<Long> recent = new ArrayDeque<>();
  private long downSinceNanos = System.nanoTime();
  private boolean up;
  private long breaks;
  private String reason = "";

  synchronized void onUp() {
    up = true;
  }

  /** Notes that no link is up any more. */
  synchronized void onDown() {
    if (up) {
      up = false;
      downSinceNanos = System.nanoTime();
    }
  }

  /** Counts a break of a link, whatever the side that caused it, unless this side closed it. */
  synchronized void onBreak(String why) {
    breaks++;
    reason = why;
    if (recent.size() == MOST_REMEMBERED) {
      recent.remove();
    }
    recent.add(System.nanoTime());
  }

  /** Notes why a connection could not be made. */
  synchronized void onFailed(String why) {
    reason = why;
  }

  /** Returns how often links broke. */
  synchronized long breaks() {
    return breaks;
  }

  /** Returns how often links broke within the last minute, up to 64. */
  synchronized int recentBreaks() {
    long nowNanos = System.nanoTime();
    recent.removeIf(atNanos -> nowNanos - atNanos > RECENT_NANOS);
    return recent.size();
  }

  /** Returns for how long no link has been up; 0 while one is up. */
  synchronized long downMicros() {
    return up ? 0 : (System.nanoTime() - downSinceNanos) / 1000;
  }

  /** Returns why the last link broke or could not be made; empty if that never happened. */
  synchronized String reason() {
    return reason;
  }
}
