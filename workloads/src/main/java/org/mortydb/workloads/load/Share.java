package org.mortydb.workloads.load;

import java.util.OptionalDouble;

/**
 * The share of one process in a load that several processes run together. Sessions have numbers of
 * their own in each share, so that the histories of all shares are one history.
 *
 * @param index the place of the share, 0 to {@code count} - 1
 * @param count the number of shares, at least 1
 */
public record Share(int index, int count) {
  /** The whole load. */
  public static final Share ALL = new Share(0, 1);

  /** Checks the numbers. */
  public Share {
    if (count < 1 || index < 0 || index >= count) {
      throw new IllegalArgumentException("there is no share %d of %d".formatted(index, count));
    }
  }

  /** The number of the first session. */
  public int firstSession() {
    return index * (Integer.MAX_VALUE / count);
  }

  /** The number after that of the last session. */
  public int endOfSessions() {
    return firstSession() + Integer.MAX_VALUE / count;
  }

  /** The part of some sessions, as equal as possible. */
  int sessionsOf(int sessions) {
    return sessions / count + (index < sessions % count ? 1 : 0);
  }

  /** The number of sessions in the shares before this one. */
  int sessionsBefore(int sessions) {
    return sessions / count * index + Math.min(index, sessions % count);
  }

  /** The part of a rate that this share's part of some sessions runs. */
  OptionalDouble rateOf(OptionalDouble perSecond, int sessions) {
    return perSecond.isEmpty() || count == 1
        ? perSecond
        : OptionalDouble.of(perSecond.getAsDouble() * sessionsOf(sessions) / sessions);
  }
}
