package org.mortydb.bench.simulated;

import java.util.List;

/** Non-negative least squares for a few unknowns. */
final class LeastSquares {
  private static final int ROUNDS = 20_000;

  private LeastSquares() {}

  /**
   * Solves by coordinate descent, which finds the minimum of this convex problem.
   *
   * @param rows the coefficients of each equation
   * @param targets the right side of each equation
   */
  static double[] solve(List<double[]> rows, double[] targets) {
    int unknowns = rows.getFirst().length;
    double[] x = new double[unknowns];
    double[] residuals = targets.clone();
    for (int round = 0; round < ROUNDS; round++) {
      for (int j = 0; j < unknowns; j++) {
        double gradient = 0;
        double curvature = 0;
        for (int i = 0; i < residuals.length; i++) {
          double a = rows.get(i)[j];
          gradient += a * residuals[i];
          curvature += a * a;
        }
        if (curvature == 0) {
          continue;
        }
        double next = Math.max(0, x[j] + gradient / curvature);
        double step = next - x[j];
        if (step != 0) {
          x[j] = next;
          for (int i = 0; i < residuals.length; i++) {
            residuals[i] -= rows.get(i)[j] * step;
          }
        }
      }
    }
    return x;
  }
}
