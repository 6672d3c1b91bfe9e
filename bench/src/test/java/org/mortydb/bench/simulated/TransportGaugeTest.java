package org.mortydb.bench.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("alone")
final class TransportGaugeTest {
  private static final double MICROSECOND = 1_000;

  /** On a machine that is busy with something else a measurement can come out senseless. */
  private static final int ATTEMPTS = 4;

  @Test
  void aSleepAndTheFramesOfATurnTakeMicroseconds() throws InterruptedException {
    TransportCosts costs = new TransportGauge(0.1).measure();
    for (int i = 1; i < ATTEMPTS && costs.wake() <= costs.turn(); i++) {
      costs = new TransportGauge(0.1 * (i + 1)).measure();
    }
    assertThat(costs.wake() + costs.frameIn() + costs.frameOut())
        .isBetween(MICROSECOND, 1_000 * MICROSECOND);
    assertThat(costs.wake()).as("a sleep costs a switch").isGreaterThan(costs.turn());
    assertThat(costs.turn()).isNotNegative();
    assertThat(costs.latency()).isBetween(0.0, 5_000 * MICROSECOND);
  }
}
