package org.mortydb.experiments.runs;

import java.util.List;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.plan.Way;

/** Fits an experiment into a time that is given. */
public final class TimePlan {
  /** What a point takes besides warm-up and window, when servers are processes: about. */
  private static final double PROCESSES_SECONDS = 6;

  /** The same when all is in one process. */
  private static final double EMBEDDED_SECONDS = 2;

  /** Less than this, warm-up included, measures nothing. */
  private static final double LEAST_SECONDS = 1.2;

  /** More rounds than one only when each point then has so much in each. */
  private static final double ENOUGH_SECONDS = 2.5;

  private TimePlan() {}

  /**
   * The same experiment with warm-up and window lengthened or shortened alike, and if need be with
   * fewer rounds, so that all of it takes about that long. Never shorter than a bit more than a
   * second for each point, however little time there is.
   */
  public static Definition fit(Definition definition, double minutes) {
    int rounds = definition.rounds();
    while (rounds > 1 && slot(definition, minutes, rounds) < ENOUGH_SECONDS) {
      rounds--;
    }
    double slot = Math.max(LEAST_SECONDS, slot(definition, minutes, rounds));
    Point first = definition.points().getFirst();
    double share = slot / (first.warmupSeconds() + first.seconds());
    return definition.with(
        tenths(first.warmupSeconds() * share),
        Math.max(1, tenths(first.seconds() * share)),
        rounds);
  }

  private static double tenths(double seconds) {
    return Math.round(seconds * 10) / 10.0;
  }

  /** How long warm-up and window of a point may take together. */
  private static double slot(Definition definition, double minutes, int rounds) {
    int runs = definition.points().size() * rounds;
    double overhead = overhead(definition.points()) * rounds;
    return (minutes * 60 - preheating(definition) - overhead) / runs;
  }

  private static double preheating(Definition definition) {
    List<Point> points = definition.preheating();
    return points.size() * definition.preheatSeconds() + overhead(points);
  }

  private static double overhead(List<Point> points) {
    return points.stream().mapToDouble(TimePlan::overhead).sum();
  }

  private static double overhead(Point point) {
    return point.way() == Way.REAL && point.processes() ? PROCESSES_SECONDS : EMBEDDED_SECONDS;
  }

  /** About how long an experiment takes, in seconds. */
  public static double seconds(Definition definition) {
    double once =
        definition.points().stream()
            .mapToDouble(point -> overhead(point) + point.warmupSeconds() + point.seconds())
            .sum();
    return preheating(definition) + definition.rounds() * once;
  }
}
