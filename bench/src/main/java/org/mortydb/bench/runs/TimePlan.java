package org.mortydb.bench.runs;

import org.mortydb.bench.plan.Definition;
import org.mortydb.bench.plan.Point;
import org.mortydb.bench.plan.Way;

/** Fits an experiment into a time that is given. */
public final class TimePlan {
  /** What a point takes besides warm-up and window, when servers are processes: about. */
  private static final double PROCESSES_SECONDS = 6;

  /** The same when all is in one process. */
  private static final double EMBEDDED_SECONDS = 1.4;

  /** Less than this, warm-up included, measures nothing. */
  private static final double LEAST_SECONDS = 1.2;

  /** More rounds than one only when each point then has so much in each. */
  private static final double ENOUGH_SECONDS = 2;

  private TimePlan() {}

  /**
   * The same experiment with warm-up, window and preheating lengthened or shortened alike, and if
   * need be with fewer rounds, so that all of it takes about that long. Never shorter than a bit
   * more than a second for each point, however little time there is.
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
        tenths(definition.preheatSeconds() * Math.min(1, share)),
        rounds);
  }

  private static double tenths(double seconds) {
    return Math.round(seconds * 10) / 10.0;
  }

  /** How long warm-up and window of a point may take together. */
  private static double slot(Definition definition, double minutes, int rounds) {
    double overhead = definition.points().stream().mapToDouble(TimePlan::overhead).sum();
    int points = definition.points().size();
    Point first = definition.points().getFirst();
    // With slot s the preheating takes s times this for each point, unless it is capped.
    double preheat = definition.preheatSeconds() / (first.warmupSeconds() + first.seconds());
    double left = minutes * 60 - overhead * (preheat > 0 ? rounds + 1 : rounds);
    double slot = left / (points * (rounds + preheat));
    return slot > first.warmupSeconds() + first.seconds()
        ? (left - points * definition.preheatSeconds()) / (points * rounds)
        : slot;
  }

  private static double overhead(Point point) {
    return point.way() == Way.REAL && point.processes() ? PROCESSES_SECONDS : EMBEDDED_SECONDS;
  }

  /** About how long an experiment takes, in seconds. */
  public static double seconds(Definition definition) {
    double seconds = 0;
    for (Point point : definition.points()) {
      seconds += definition.rounds() * (overhead(point) + point.warmupSeconds() + point.seconds());
      if (definition.preheatSeconds() > 0) {
        seconds += overhead(point) + definition.preheatSeconds();
      }
    }
    return seconds;
  }
}
