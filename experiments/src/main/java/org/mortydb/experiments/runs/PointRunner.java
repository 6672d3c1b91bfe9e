package org.mortydb.experiments.runs;

import org.mortydb.bench.report.Report;
import org.mortydb.experiments.plan.Point;
import org.mortydb.workloads.load.Progress;

/** Runs points of experiments in one way. Used by one thread at a time. */
@FunctionalInterface
public interface PointRunner {

  /**
   * Runs a point with all checks, from an empty cluster on.
   *
   * @throws RuntimeException when it cannot be run to its end; the message says why
   */
  Report run(Point point, Progress progress) throws InterruptedException;
}
