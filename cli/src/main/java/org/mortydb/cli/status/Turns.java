package org.mortydb.cli.status;

import java.time.Duration;

/**
 * The turns in which servers that wait to stop may do so, by the clock: so that two of them, which
 * do not know of each other, do not stop together. Servers whose clocks differ by less than a
 * second are never in the same turn, nor is one in the turn that the previous one has just used.
 */
public final class Turns {
  /** How long a turn takes. */
  static final Duration TURN = Duration.ofSeconds(15);

  /**
   * How far into its turn a server may decide to stop. The rest is for its process to get the
   * signal and to close its port, so that the next server notices.
   */
  static final Duration DECISION = Duration.ofSeconds(8);

  private Turns() {}

  /**
   * Whether a server may decide now.
   *
   * @param nowMillis the time, in milliseconds since 1970
   * @param index the server's place in the configuration, from 0
   * @param servers how many servers there are, 1 or more
   */
  public static boolean isTurnOf(long nowMillis, int index, int servers) {
    long turn = Math.floorDiv(nowMillis, TURN.toMillis());
    return Math.floorMod(turn, servers) == index
        && Math.floorMod(nowMillis, TURN.toMillis()) < DECISION.toMillis();
  }
}
