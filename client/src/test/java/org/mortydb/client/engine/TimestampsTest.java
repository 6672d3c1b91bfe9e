package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TimestampsTest {
  private static final long NOW = 1_000_000_000_000L;
  private static final long YEAR = 365 * 86_400_000_000L;

  private final Session session = new Session();
  private final Timestamps times = new Timestamps(session);

  @Test
  void ascendWhileTheClockStandsOrIsSetBackALittle() {
    assertThat(times.next(NOW)).isEqualTo(NOW);
    assertThat(times.next(NOW)).isEqualTo(NOW + 1);
    assertThat(times.next(NOW - Timestamps.JUMP_MICROS / 2)).isEqualTo(NOW + 2);
    assertThat(times.next(NOW + 50)).isEqualTo(NOW + 50);
  }

  @Test
  void followAClockThatWasAYearAhead() {
    times.next(NOW);
    times.next(NOW + YEAR);
    assertThat(times.next(NOW + 10)).isEqualTo(NOW + 10);
    assertThat(times.next(NOW + YEAR)).isEqualTo(NOW + YEAR + 1);
  }

  @Test
  void passOverTimesThatWereGivenOutBefore() {
    for (int i = 0; i < 100; i++) {
      times.next(NOW);
    }
    times.next(NOW + YEAR);
    assertThat(times.next(NOW + 50)).isEqualTo(NOW + 100);
  }

  @Test
  void stayAboveTheEnginesOwnCommits() {
    long ahead = times.next(NOW + YEAR);
    session.committed(ahead);
    assertThat(times.next(NOW)).isEqualTo(ahead + 1);
  }

  @Test
  void stayAboveCommitsOfOtherEnginesInTheSession() {
    Timestamps others = new Timestamps(session);
    times.next(NOW);
    session.committed(others.next(NOW + 700));
    assertThat(times.next(NOW + 1)).isEqualTo(NOW + 701);
    session.committed(NOW);
    assertThat(times.next(NOW + 2)).isEqualTo(NOW + 702);
  }

  @Test
  void neverRepeatWhateverTheClockDoes() {
    Random random = new Random(1);
    Set<Long> given = new HashSet<>();
    long now = NOW;
    for (int i = 0; i < 100_000; i++) {
      switch (random.nextInt(20)) {
        case 0 -> now = NOW + random.nextLong(10 * Timestamps.JUMP_MICROS);
        case 1 -> now += random.nextLong(3 * Timestamps.JUMP_MICROS);
        case 2 -> now -= random.nextLong(3 * Timestamps.JUMP_MICROS);
        default -> now += random.nextInt(2);
      }
      assertThat(given.add(times.next(now))).isTrue();
    }
  }
}
