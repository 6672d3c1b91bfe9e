package org.mortydb.bench.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.mortydb.bench.simulated.Calibration.Outcome;
import org.mortydb.bench.simulated.Loop.Usage;

final class CostFitTest {
  private static final long COMMITS = 1_000;

  private static Usage usage(double loopMicros, double workMicros, double collectorMicros) {
    Usage usage = new Usage();
    usage.workNanos = Math.round(COMMITS * workMicros * 1_000);
    usage.collectorNanos = Math.round(COMMITS * collectorMicros * 1_000);
    usage.busyNanos =
        usage.workNanos + usage.collectorNanos + Math.round(COMMITS * loopMicros * 1_000);
    return usage;
  }

  private static Outcome real(double loops, double collectors, double clients) {
    return new Outcome(1, 1, 1, 1, loops + collectors, collectors, clients);
  }

  /**
   * In truth a turn takes half of what the gauge says, steps of a's servers thrice, of its clients
   * twice, of b's servers four times, and of its clients as long.
   */
  @Test
  void findsTheFactorsOfEventLoopsAndSteps() {
    CostFit fit = new CostFit();
    StepScale before = new StepScale(2, 1, 0.1);
    fit.add("a", before, COMMITS, usage(40, 20, 2), usage(20, 10, 0), real(20 + 30, 15, 10 + 20));
    fit.add("a", before, COMMITS, usage(160, 24, 2), usage(80, 10, 0), real(80 + 36, 18, 40 + 20));
    fit.add("b", before, COMMITS, usage(30, 10, 1), usage(20, 8, 0), real(15 + 20, 0, 10 + 8));
    fit.add("b", before, COMMITS, usage(90, 10, 1), usage(60, 8, 0), real(45 + 20, 0, 30 + 8));
    CostFit.Factors factors = fit.solve(true);
    assertThat(factors.transport()).isCloseTo(0.5, within(0.001));
    assertThat(factors.scales())
        .containsEntry("a", new StepScale(3, 2, 0.5))
        .containsEntry("b", new StepScale(4, 1, 0));
  }

  @Test
  void oneRunDoesNotTellEventLoopsFromSteps() {
    CostFit fit = new CostFit();
    fit.add("a", StepScale.NONE, COMMITS, usage(40, 10, 0), usage(20, 10, 0), real(70, 0, 15));
    CostFit.Factors factors = fit.solve(true);
    assertThat(factors.transport()).isEqualTo(1);
    assertThat(factors.scales())
        .as("at least a tenth, although the client's loops took longer than all of it")
        .containsEntry("a", new StepScale(3, 0.1, 0));
    assertThat(fit.solve(false)).isEqualTo(factors);
    assertThat(new CostFit().solve(true).scales()).isEmpty();
  }
}
