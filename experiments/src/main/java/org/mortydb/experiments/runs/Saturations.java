package org.mortydb.experiments.runs;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.mortydb.bench.report.Report;
import org.mortydb.experiments.plan.Point;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.Saturation;

/**
 * The saturated rates that were found so far. Points that differ only in their load, and all their
 * rounds, use the one that the first of them finds. Thread-safe.
 */
final class Saturations {
  private final Map<Map<String, Object>, Saturation> found = new ConcurrentHashMap<>();

  /** The load of a point. */
  LoadSeries series(Point point) {
    return series(List.of(point));
  }

  /** The loads of points that differ in their load alone. */
  LoadSeries series(List<Point> points) {
    return new LoadSeries(
        points.stream()
            .map(point -> new LoadSeries.Load(RealPointRunner.options(point), point.rate()))
            .toList(),
        points.stream()
            .filter(point -> point.rate() != null)
            .map(point -> found.get(point.saturationCoordinates()))
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null));
  }

  /** Remembers what a run of a point has found. */
  Report remember(Point point, Report report) {
    Saturation saturation = report.saturation();
    if (saturation != null) {
      found.putIfAbsent(point.saturationCoordinates(), saturation);
    }
    return report;
  }
}
