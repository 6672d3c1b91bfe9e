package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A seed in which a partition once handed over what had moved away from it before. */
class ChangesTest {
  @Test
  void changesInARowKeepEverything() {
    SeedOptions options = SeedOptions.DEFAULTS.withMix(FaultMix.CHANGES);
    SeedResult result = SeedRun.run(1001, options);
    assertThat(result.violations()).isEmpty();
  }
}
