package org.mortydb.workloads.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class SamplerTest {
  private static final int DRAWS = 400_000;

  private static long[] sortedCounts(Sampler sampler, int users) {
    long[] counts = new long[users];
    for (int i = 0; i < DRAWS; i++) {
      counts[sampler.next()]++;
    }
    Arrays.sort(counts);
    return counts;
  }

  @Test
  void zipfFollowsItsLaw() {
    int users = 1_000;
    double theta = 0.9;
    long[] counts = sortedCounts(Sampler.zipf(new SplittableRandom(3), users, theta), users);
    double norm = 0;
    for (int rank = 1; rank <= users; rank++) {
      norm += Math.pow(rank, -theta);
    }
    for (int rank : new int[] {1, 2, 3, 10, 50}) {
      double expected = DRAWS * Math.pow(rank, -theta) / norm;
      assertThat((double) counts[users - rank]).isCloseTo(expected, within(expected * 0.06));
    }
    assertThat(counts[0]).as("even the least popular user is drawn").isPositive();
  }

  @Test
  void popularityIsScatteredOverTheIds() {
    for (int users : new int[] {2, 3, 6, 100, 16_666, 166_666}) {
      Sampler sampler = Sampler.zipf(new SplittableRandom(4), users, 3);
      int first = sampler.next();
      boolean others = false;
      for (int i = 0; i < 1_000; i++) {
        int user = sampler.next();
        assertThat(user).isBetween(0, users - 1);
        others |= user != first;
        // The second most popular user is not adjacent to the most popular one.
        if (users >= 100 && user != first && Math.abs(user - first) < users / 4) {
          assertThat(Math.abs(user - first)).isGreaterThan(1);
        }
      }
      assertThat(others).isTrue();
    }
  }

  @Test
  void anExponentOfZeroIsUniform() {
    Sampler uniform = Sampler.uniform(new SplittableRandom(6), 100);
    Sampler zipf = Sampler.zipf(new SplittableRandom(6), 100, 0);
    Sampler ranks = Sampler.ranks(new SplittableRandom(6), 100, 0);
    for (int i = 0; i < 1_000; i++) {
      int expected = uniform.next();
      assertThat(zipf.next()).isEqualTo(expected);
      assertThat(ranks.next()).isEqualTo(expected);
    }
  }

  @Test
  void uniformIsEven() {
    int users = 100;
    long[] counts = sortedCounts(Sampler.uniform(new SplittableRandom(5), users), users);
    assertThat(counts[0]).isGreaterThan(DRAWS / users * 9 / 10);
    assertThat(counts[users - 1]).isLessThan(DRAWS / users * 11 / 10);
  }
}
