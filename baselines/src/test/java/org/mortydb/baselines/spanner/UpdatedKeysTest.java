package org.mortydb.baselines.spanner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Key;

class UpdatedKeysTest {
  private static final Key X = Key.of("x");

  private final UpdatedKeys updated = new UpdatedKeys();

  @Test
  void theLastReaderCounts() {
    assertThat(updated.contains(X)).isFalse();
    updated.learn(X, true);
    assertThat(updated.contains(X)).isTrue();
    updated.learn(X, false);
    assertThat(updated.contains(X)).isFalse();
  }

  @Test
  void whatIsNotUsedIsForgottenFirst() {
    updated.learn(X, true);
    updated.learn(Key.of("y"), true);
    for (int i = 0; i < 100_000; i++) {
      updated.learn(Key.of("k" + i), true);
      updated.contains(X);
    }
    assertThat(updated.size()).isLessThan(20_000);
    assertThat(updated.contains(X)).isTrue();
    assertThat(updated.contains(Key.of("y"))).isFalse();
  }
}
