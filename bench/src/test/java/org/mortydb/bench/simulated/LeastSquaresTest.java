package org.mortydb.bench.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

final class LeastSquaresTest {
  @Test
  void findsWhatSolvesTheEquations() {
    double[] x =
        LeastSquares.solve(
            List.of(new double[] {1, 2}, new double[] {3, 1}, new double[] {1, 1}),
            new double[] {8, 9, 5});
    assertThat(x[0]).isCloseTo(2, within(1e-6));
    assertThat(x[1]).isCloseTo(3, within(1e-6));
  }

  @Test
  void leavesOutWhatWouldBeNegative() {
    double[] x =
        LeastSquares.solve(List.of(new double[] {1, 1}, new double[] {1, 2}), new double[] {10, 5});
    assertThat(x[1]).isZero();
    assertThat(x[0]).isCloseTo(7.5, within(1e-6));
  }
}
