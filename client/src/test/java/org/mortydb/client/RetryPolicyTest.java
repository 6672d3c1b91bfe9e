package org.mortydb.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {

  /** The largest and smallest of many draws come close to the bounds, and never pass them. */
  private static void assertUniformUpTo(long bound, RetryPolicy policy, int failedAttempts) {
    SplittableRandom random = new SplittableRandom(failedAttempts);
    long[] draws =
        LongStream.range(0, 20_000)
            .map(i -> policy.backoffMicros(failedAttempts, random))
            .toArray();
    assertThat(LongStream.of(draws).max().orElseThrow()).isBetween(bound - bound / 100, bound);
    assertThat(LongStream.of(draws).min().orElseThrow()).isBetween(0L, bound / 100);
    assertThat(LongStream.of(draws).average().orElseThrow()).isBetween(bound * 0.48, bound * 0.52);
  }

  @Test
  void waitsDoubleUpToTheCap() {
    RetryPolicy policy = new RetryPolicy(100, 1_000, 6_000);
    assertUniformUpTo(1_000, policy, 1);
    assertUniformUpTo(2_000, policy, 2);
    assertUniformUpTo(4_000, policy, 3);
    assertUniformUpTo(6_000, policy, 4);
    assertUniformUpTo(6_000, policy, 64);
    assertUniformUpTo(6_000, policy, Integer.MAX_VALUE);
  }

  @Test
  void hugeBoundsDoNotOverflow() {
    RetryPolicy policy = new RetryPolicy(100, Long.MAX_VALUE / 4, Long.MAX_VALUE);
    SplittableRandom random = new SplittableRandom(1);
    for (int failed = 1; failed < 100; failed++) {
      assertThat(policy.backoffMicros(failed, random)).isNotNegative();
    }
  }

  @Test
  void sameSeedSameWaits() {
    RetryPolicy policy = RetryPolicy.DEFAULTS;
    SplittableRandom one = new SplittableRandom(7);
    SplittableRandom two = new SplittableRandom(7);
    for (int failed = 1; failed < 20; failed++) {
      assertThat(policy.backoffMicros(failed, one)).isEqualTo(policy.backoffMicros(failed, two));
    }
  }

  @Test
  void noBaseMeansNoWait() {
    assertThat(new RetryPolicy(3, 0, 0).backoffMicros(2, new SplittableRandom(1))).isZero();
  }

  @Test
  void refusesNonsense() {
    assertThatThrownBy(() -> new RetryPolicy(0, 1, 1)).hasMessageContaining("maxAttempts");
    assertThatThrownBy(() -> new RetryPolicy(1, -1, 1)).hasMessageContaining("baseMicros");
    assertThatThrownBy(() -> new RetryPolicy(1, 2, 1)).hasMessageContaining("capMicros");
    assertThatThrownBy(() -> new TransactionOptions(0, RetryPolicy.NEVER))
        .hasMessageContaining("deadline");
    // Its timer would be before all others, and the queue would wait for it alone.
    assertThatThrownBy(() -> TransactionOptions.DEFAULTS.withDeadlineMicros(Long.MAX_VALUE))
        .hasMessageContaining("deadlineMicros must be from 1 to 1125899906842624, but is");
    long longest = TransactionOptions.MAX_DEADLINE_MICROS;
    assertThat(TransactionOptions.DEFAULTS.withDeadlineMicros(longest).deadlineMicros())
        .isEqualTo(longest);
  }
}
