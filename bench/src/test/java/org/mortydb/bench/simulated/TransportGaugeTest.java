package org.mortydb.bench.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TransportGaugeTest {
  private static final double MICROSECOND = 1_000;

  @Test
  void aSleepAndTheFramesOfATurnTakeMicroseconds() throws InterruptedException {
    TransportCosts costs = new TransportGauge(0.1).measure();
    assertThat(costs.wake() + costs.frameIn() + costs.frameOut())
        .isBetween(MICROSECOND, 1_000 * MICROSECOND);
    assertThat(costs.wake()).as("a sleep costs a switch").isGreaterThan(costs.turn());
    assertThat(costs.turn()).isNotNegative();
  }
}
