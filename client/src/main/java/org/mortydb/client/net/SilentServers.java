package org.mortydb.client.net;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Which servers stay silent although they were asked for a read. A server that runs answers a read
 * at once, so it stands still: for a collection, a disk, or code that its JVM has not compiled yet.
 * Others can serve the reads meanwhile (docs/protocol.md, section 7, Loss).
 *
 * <p>A server is silent when nothing has come from it for {@link #TIMES} times as long as its
 * answers usually take, at least {@link #LEAST_NANOS}; for {@link #FIRST_NANOS} before its first
 * answer. It no longer is as soon as anything comes, or after {@link #MOST_NANOS}: then it is asked
 * again.
 *
 * <p>Not thread-safe. Times are those of {@link System#nanoTime}.
 */
final class SilentServers {
  /** Shorter silences cost less than what could be done about them. */
  static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** What is usual is not known before the first answer, which may cross an ocean. */
  static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How long a server counts as silent at most. */
  static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A longer silence than so many usual answers is no matter of load. */
  static final int TIMES = 4;

  /** How often to check, while there is something to check. */
  static final long CHECK_NANOS = LEAST_NANOS / 2;

  private static final long NOTHING = Long.MIN_VALUE;

  /** When each server was asked first since it was heard last; {@link #NOTHING} if it was not. */
  private long[] asked = new long[0];

  /**
   * How long each server usually takes until it is heard; {@link #NOTHING} before the first time.
   */
  private long[] usual = new long[0];

  /** Since when each server counts as silent; {@link #NOTHING} if it does not. */
  private long[] silent = new long[0];

  private long checkedNanos;
  private boolean checks;

  /**
   * A server is asked for a read.
   *
   * @return whether {@link #check} has to be called after {@link #CHECK_NANOS}
   */
  boolean asked(int server, long nowNanos) {
    if (server >= asked.length) {
      grow(server + 1);
    }
    if (asked[server] == NOTHING) {
      asked[server] = nowNanos;
    }
    if (checks) {
      return false;
    }
    checks = true;
    checkedNanos = nowNanos;
    return true;
  }

  private void grow(int servers) {
    int before = asked.length;
    asked = Arrays.copyOf(asked, servers);
    usual = Arrays.copyOf(usual, servers);
    silent = Arrays.copyOf(silent, servers);
    Arrays.fill(asked, before, servers, NOTHING);
    Arrays.fill(usual, before, servers, NOTHING);
    Arrays.fill(silent, before, servers, NOTHING);
  }

  /** Whether {@link #heard} has to be called when something comes from a server. */
  boolean expects(int server) {
    return server < asked.length && asked[server] != NOTHING;
  }

  /** Something has come from a server that was asked. Returns whether it was silent before. */
  boolean heard(int server, long nowNanos) {
    // One long silence says little about what is usual. Many do: then the load is that high.
    long took = Math.min(nowNanos - asked[server], patienceNanos(server));
    long before = usual[server];
    usual[server] = before == NOTHING ? took : before + (took - before) / 8;
    asked[server] = NOTHING;
    return ends(server);
  }

  private long patienceNanos(int server) {
    return usual[server] == NOTHING ? FIRST_NANOS : Math.max(LEAST_NANOS, TIMES * usual[server]);
  }

  private boolean ends(int server) {
    boolean was = silent[server] != NOTHING;
    silent[server] = NOTHING;
    return was;
  }

  /** The link to a server has ended, or is a new one: nothing is expected of it. */
  void forget(int server) {
    if (server < asked.length) {
      asked[server] = NOTHING;
      usual[server] = NOTHING;
      silent[server] = NOTHING;
    }
  }

  /**
   * What a check has found.
   *
   * @param news whether another server is silent than before
   * @param goesOn whether the next check is due after {@link #CHECK_NANOS}
   */
  record Found(boolean news, boolean goesOn) {}

  /**
   * Looks for servers that have become silent, or have been so for long enough. A check that comes
   * late finds none, and the time since the last one does not count: this process has stood still
   * itself, and has not read what came.
   */
  Found check(long nowNanos) {
    boolean late = nowNanos - checkedNanos > 2 * CHECK_NANOS;
    boolean news = false;
    boolean goesOn = false;
    for (int server = 0; server < asked.length; server++) {
      if (silent[server] != NOTHING && nowNanos - silent[server] >= MOST_NANOS) {
        asked[server] = NOTHING;
        news |= ends(server);
      }
      if (asked[server] != NOTHING && silent[server] == NOTHING) {
        if (late) {
          asked[server] = Math.min(nowNanos, asked[server] + nowNanos - checkedNanos);
        } else if (nowNanos - asked[server] >= patienceNanos(server)) {
          silent[server] = nowNanos;
          news = true;
        }
      }
      goesOn |= asked[server] != NOTHING || silent[server] != NOTHING;
    }
    checkedNanos = nowNanos;
    checks = goesOn;
    return new Found(news, goesOn);
  }

  /** Whether a server stays silent. */
  boolean isSilent(int server) {
    return server >= 0 && server < silent.length && silent[server] != NOTHING;
  }
}
