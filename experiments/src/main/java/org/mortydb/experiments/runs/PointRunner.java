package org.mortydb.experiments.runs;

import java.util.ArrayList;
import java.util.List;
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

  /**
   * Whether points that differ only in their load run one after another on one cluster, by {@link
   * #runAll}.
   */
  default boolean sharesClusters() {
    return false;
  }

  /**
   * Runs points that differ only in their load, with one check of all, starting from an empty
   * cluster.
   *
   * @return a report on each, in order
   * @throws RuntimeException if one of them fails; the message has the reason
   */
  default List<Report> runAll(List<Point> points, Progress progress) throws InterruptedException {
    List<Report> reports = new ArrayList<>();
    for (Point point : points) {
      reports.add(run(point, progress));
    }
    return reports;
  }

  /** How often a point that fails runs, 1 or more. */
  default int tries() {
    return 1;
  }
}
