package org.mortydb.experiments.runs;

import org.mortydb.bench.report.Report;
import org.mortydb.experiments.plan.Point;
import org.mortydb.workloads.load.Progress;

/** Runs points in one way. Not thread-safe, except for simulated points. */
@FunctionalInterface
public interface PointRunner {

  /**
   * Runs a point with all checks, starting from an empty cluster.
   *
   * @throws RuntimeException if it fails; the message has the reason
   */
  Report run(Point point, Progress progress) throws InterruptedException;

  /** How often a point that fails runs, 1 or more. */
  default int tries() {
    return 1;
  }
}
