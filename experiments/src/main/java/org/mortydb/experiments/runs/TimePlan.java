package org.mortydb.experiments.runs;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.plan.Way;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.Saturation;

/** Fits an experiment into a given time. */
public final class TimePlan {
  /** The approximate overhead of a point with server processes, beside warm-up and window. */
  private static final double PROCESSES_SECONDS = 6;

  /** The approximate overhead of a point in one process. */
  private static final double EMBEDDED_SECONDS = 2;

  /** The approximate overhead of a point on several hosts. */
  private static final double HOSTS_SECONDS = 15;

  /** The least time of a point, including warm-up. */
  private static final double LEAST_SECONDS = 1.2;

  /** The least time of a point for more than one round. */
  private static final double ENOUGH_SECONDS = 2.5;

  private TimePlan() {}

  /**
   * An experiment with warm-ups and windows scaled, and fewer rounds if necessary, so that it takes
   * about the given time. Each point takes at least a little more than a second.
   */
  public static Definition fit(Definition definition, double minutes) {
    int rounds = definition.rounds();
    double share = share(definition, minutes, rounds);
    while (rounds > 1 && slot(definition, share) < ENOUGH_SECONDS) {
      rounds--;
      share = share(definition, minutes, rounds);
    }
    return scaled(definition, share * Math.max(1, LEAST_SECONDS / slot(definition, share)), rounds);
  }

  /** By which factor warm-ups and windows fit into a time. */
  private static double share(Definition definition, double minutes, int rounds) {
    double low = LEAST_SECONDS / slot(definition, 1) / 10;
    double high = 1_000;
    while (high - low > low / 1_000) { // the time grows with the share
      double middle = (low + high) / 2;
      if (seconds(scaled(definition, middle, rounds)) > minutes * 60) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return low;
  }

  private static Definition scaled(Definition definition, double share, int rounds) {
    Point first = definition.points().getFirst();
    return definition.with(
        tenths(first.warmupSeconds() * share),
        Math.max(1, tenths(first.seconds() * share)),
        rounds);
  }

  private static double tenths(double seconds) {
    return Math.round(seconds * 10) / 10.0;
  }

  /** The time for warm-up and window of the first point. */
  private static double slot(Definition definition, double share) {
    Point first = definition.points().getFirst();
    return (first.warmupSeconds() + first.seconds()) * share;
  }

  private static double preheating(Definition definition) {
    List<Point> points = definition.preheating();
    return points.size() * definition.preheatSeconds() + overhead(points);
  }

  private static double overhead(List<Point> points) {
    return points.stream().mapToDouble(TimePlan::overhead).sum();
  }

  /** The time in which points with the same saturated rate find it, once for all rounds. */
  private static double searching(Definition definition) {
    return Saturation.SEARCH_SECONDS
        * definition.points().stream()
            .filter(point -> point.rate() != null && point.rate().ofMax())
            .map(Point::saturationCoordinates)
            .distinct()
            .count();
  }

  private static double overhead(Point point) {
    return switch (point.way()) {
      case DEPLOYED -> HOSTS_SECONDS;
      case REAL -> point.processes() ? PROCESSES_SECONDS : EMBEDDED_SECONDS;
      case SIMULATED -> EMBEDDED_SECONDS;
    };
  }

  /** The approximate duration of an experiment, in seconds. */
  public static double seconds(Definition definition) {
    return seconds(definition, step -> true);
  }

  /**
   * The approximate duration of a part of an experiment, in seconds.
   *
   * @param runs whether a point and round runs
   */
  public static double seconds(Definition definition, Predicate<Step> runs) {
    return seconds(definition, runs, step -> OptionalDouble.empty());
  }

  /**
   * The approximate duration of a part of an experiment, in seconds.
   *
   * @param runs whether a point and round runs
   * @param took how long simulated runs took before, as far as that is known: it does not follow
   *     from their virtual time
   */
  public static double seconds(
      Definition definition, Predicate<Step> runs, Function<Step, OptionalDouble> took) {
    List<Step> steps = definition.steps().stream().filter(runs).toList();
    double once = 0;
    for (List<Step> together : SharedClusters.of(steps, step -> definition.shares(step.point()))) {
      Step first = together.getFirst();
      once +=
          first.point().way() == Way.SIMULATED
              ? took.apply(first).orElse(planned(first.point()))
              : planned(first.point());
      Set<Map<String, Object>> workloads = new HashSet<>();
      for (Step step : together) {
        boolean isNew = workloads.add(step.point().saturationCoordinates());
        if (!step.equals(first)) {
          once += settled(step.point(), isNew);
        }
      }
    }
    return steps.isEmpty() ? 0 : preheating(definition) + searching(definition) + once;
  }

  /** A point on a new cluster. */
  private static double planned(Point point) {
    return overhead(point) + point.warmupSeconds() + point.seconds();
  }

  /** A point on the cluster of another one. */
  private static double settled(Point point, boolean isOfNewWorkload) {
    double most = isOfNewWorkload ? LoadSeries.CHANGE_SECONDS : LoadSeries.SETTLE_SECONDS;
    return Math.min(point.warmupSeconds(), most) + point.seconds();
  }
}
