package org.mortydb.experiments.runs;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.report.Report;
import org.mortydb.experiments.plan.Point;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.Rate;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.Saturation;

/**
 * The saturated rates that were found so far. Points that differ only in their share of it, and all
 * their rounds, use the one that the first of them finds. Thread-safe.
 */
final class Saturations {
  private final Map<Map<String, Object>, Saturation> found = new ConcurrentHashMap<>();

  /** The load of a point. */
  LoadSeries series(Point point, RunOptions options) {
    @Nullable Rate rate = point.rate();
    return rate == null
        ? LoadSeries.of(options)
        : new LoadSeries(options, List.of(rate), found.get(key(point)));
  }

  /** Remembers what a run of a point has found. */
  Report remember(Point point, Report report) {
    Saturation saturation = report.saturation();
    if (saturation != null) {
      found.putIfAbsent(key(point), saturation);
    }
    return report;
  }

  /** The coordinates of a point except its rate. */
  static Map<String, Object> key(Point point) {
    Map<String, Object> rest = new LinkedHashMap<>(point.coordinates());
    rest.remove(Point.RATE);
    return rest;
  }
}
