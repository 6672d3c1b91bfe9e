package org.mortydb.experiments.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.mortydb.protocol.system.TransactionSystem;

/**
 * An experiment as it is defined: its points, how often each is run, and the figures wanted.
 *
 * @param name names it, and its file
 * @param title what it is about, in a few words
 * @param about more of that; empty for nothing
 * @param points the points of one round, those that differ in nothing but the system side by side
 * @param rounds how often each is run
 * @param preheatSeconds how long {@link #preheating} takes for each of its points; 0 for none
 * @param figures the figures
 */
public record Definition(
    String name,
    String title,
    String about,
    List<Point> points,
    int rounds,
    double preheatSeconds,
    List<FigureSpec> figures) {

  /** Copies the lists. */
  public Definition {
    points = List.copyOf(points);
    figures = List.copyOf(figures);
  }

  /**
   * A point in a round.
   *
   * @param round counts from 1
   */
  public record Step(Point point, int round) {}

  /**
   * All that is to be run, in order: round by round, so that what disturbs the machine for a while
   * hits all points alike. Which of the systems comes first changes from one to the next.
   */
  public List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      int place = 0;
      for (List<Point> group : groups()) {
        int first = place++ + round - 1;
        for (int i = 0; i < group.size(); i++) {
          Point point = group.get((first + i) % group.size());
          steps.add(
              new Step(
                  point.with(point.warmupSeconds(), point.seconds(), point.seed() + round - 1),
                  round));
        }
      }
    }
    return steps;
  }

  /**
   * The points that are run for a short while, unrecorded, before all others, so that not only what
   * runs later finds a JVM warm: each of those that differ in more than the system once, each time
   * with another system.
   */
  public List<Point> preheating() {
    List<Point> chosen = new ArrayList<>();
    for (List<Point> group : preheatSeconds > 0 ? groups() : List.<List<Point>>of()) {
      Point point = group.get(chosen.size() % group.size());
      chosen.add(point.with(0, preheatSeconds, point.seed()));
    }
    return chosen;
  }

  /** The points, together those that differ in nothing but the system. */
  private List<List<Point>> groups() {
    List<List<Point>> groups = new ArrayList<>();
    Map<String, Object> last = Map.of();
    for (Point point : points) {
      Map<String, Object> rest = new LinkedHashMap<>(point.coordinates());
      rest.remove(Point.SYSTEM);
      if (!rest.equals(last)) {
        groups.add(new ArrayList<>());
        last = rest;
      }
      groups.getLast().add(point);
    }
    return groups;
  }

  /** The same points on other systems. */
  public Definition withSystems(List<TransactionSystem> systems) {
    List<Point> others = new ArrayList<>();
    for (List<Point> group : groups()) {
      systems.forEach(system -> others.add(group.getFirst().on(system)));
    }
    return new Definition(name, title, about, others, rounds, preheatSeconds, figures);
  }

  /** The same with other times for each point, and another number of rounds. */
  public Definition with(double warmupSeconds, double seconds, int newRounds) {
    return new Definition(
        name,
        title,
        about,
        points.stream().map(one -> one.with(warmupSeconds, seconds, one.seed())).toList(),
        newRounds,
        preheatSeconds,
        figures);
  }
}
