package org.mortydb.experiments.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ReadLevel;
import org.mortydb.protocol.system.TransactionSystem;

/**
 * The definition of an experiment: its points, rounds and figures.
 *
 * @param name its name, and the name of its file
 * @param title a short title
 * @param about a description, possibly empty
 * @param points the points of a round; points that differ only in the system are adjacent
 * @param rounds the number of rounds
 * @param preheatSeconds the duration of each point of {@link #preheating}; 0 for no preheating
 * @param sharedClusters whether real points that differ only in their load run one after another on
 *     one cluster, which saves its start and its warm-up; if not, each has a cluster of its own
 * @param figures the figures
 * @param agreement by metric, how much the ways of running a point may differ: 0.1 is a tenth
 */
public record Definition(
    String name,
    String title,
    String about,
    List<Point> points,
    int rounds,
    double preheatSeconds,
    boolean sharedClusters,
    List<FigureSpec> figures,
    Map<String, Double> agreement) {

  /** Copies the lists. */
  public Definition {
    points = List.copyOf(points);
    figures = List.copyOf(figures);
    agreement = Collections.unmodifiableMap(new LinkedHashMap<>(agreement));
  }

  /**
   * A point in a round.
   *
   * @param round the round, from 1
   */
  public record Step(Point point, int round) {}

  /**
   * All runs in order, round by round, so that a temporary disturbance affects all points equally.
   * Points that differ only in the system and the load are adjacent, by system, wherever the
   * definition has them; the first system changes from one such group to the next. Points that are
   * not real share no clusters, so they may differ only in the system, the clients and the rate.
   */
  public List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      int place = 0;
      Map<Map<String, Object>, List<Point>> byCluster = new LinkedHashMap<>();
      for (Point point : points) {
        byCluster.computeIfAbsent(without(together(point)), any -> new ArrayList<>()).add(point);
      }
      for (List<Point> group : byCluster.values()) {
        Map<String, List<Point>> bySystem = new LinkedHashMap<>();
        for (Point point : group) {
          bySystem.computeIfAbsent(point.system().name(), any -> new ArrayList<>()).add(point);
        }
        List<List<Point>> systems = List.copyOf(bySystem.values());
        int first = place++ + round - 1;
        for (int i = 0; i < systems.size(); i++) {
          for (Point point : systems.get((first + i) % systems.size())) {
            steps.add(
                new Step(
                    point.with(point.warmupSeconds(), point.seconds(), point.seed() + round - 1),
                    round));
          }
        }
      }
    }
    return steps;
  }

  /**
   * The points that run briefly, without a record, before all others, so that the first points also
   * run on a warm JVM. Each group of points that differ only in the system runs once, each time
   * with another system. Open loops do not run, because closed loops warm the same code.
   */
  public List<Point> preheating() {
    List<Point> chosen = new ArrayList<>();
    List<List<Point>> groups =
        groups().stream().filter(group -> group.getFirst().rate() == null).toList();
    for (List<Point> group : preheatSeconds > 0 ? groups : List.<List<Point>>of()) {
      Point point = group.get(chosen.size() % group.size());
      chosen.add(point.with(0, preheatSeconds, point.seed()));
    }
    return chosen;
  }

  /** The groups of adjacent points that differ only in the system. */
  private List<List<Point>> groups() {
    List<List<Point>> groups = new ArrayList<>();
    Map<String, Object> last = Map.of();
    for (Point point : points) {
      Map<String, Object> rest = without(point.coordinates());
      if (!rest.equals(last)) {
        groups.add(new ArrayList<>());
        last = rest;
      }
      groups.getLast().add(point);
    }
    return groups;
  }

  /**
   * Whether a point may run on the cluster of others, with which it has all but the load in common.
   */
  public boolean shares(Point point) {
    return sharedClusters && point.way() == Way.REAL;
  }

  /** What points have in common that run together on a system. */
  private Map<String, Object> together(Point point) {
    return shares(point) ? point.clusterCoordinates() : point.saturationCoordinates();
  }

  private static Map<String, Object> without(Map<String, Object> coordinates) {
    Map<String, Object> rest = new LinkedHashMap<>(coordinates);
    rest.remove(Point.SYSTEM);
    return rest;
  }

  /** What some point needs and a system does not have; null if it has all. */
  public @Nullable String lacking(TransactionSystem system) {
    for (Point point : points) {
      ReadLevel level = point.readOnlyLevel();
      if (level != null && level.isPast() && !system.readsPast()) {
        return "level " + level.words();
      }
      if (point.merges() && !system.merges()) {
        return "merges";
      }
      if (!point.durability().equals("memory") && !system.isDurable()) {
        return "durability " + point.durability();
      }
    }
    return null;
  }

  /** This experiment on other systems. */
  public Definition withSystems(List<TransactionSystem> systems) {
    List<Point> others = new ArrayList<>();
    for (List<Point> group : groups()) {
      systems.forEach(system -> others.add(group.getFirst().on(system)));
    }
    return new Definition(
        name, title, about, others, rounds, preheatSeconds, sharedClusters, figures, agreement);
  }

  /**
   * This experiment with more points with closed loops: each that can merge instead of reading
   * first does so in one more point.
   */
  public Definition withMerges() {
    List<Point> more = new ArrayList<>(points);
    for (Point point : points) {
      Point merging = point.rate() == null ? point.merging() : null;
      if (merging != null) {
        more.add(merging);
      }
    }
    return new Definition(
        name, title, about, more, rounds, preheatSeconds, sharedClusters, figures, agreement);
  }

  /** This experiment with other times and another number of rounds. */
  public Definition with(double warmupSeconds, double seconds, int newRounds) {
    return new Definition(
        name,
        title,
        about,
        points.stream().map(one -> one.with(warmupSeconds, seconds, one.seed())).toList(),
        newRounds,
        preheatSeconds,
        sharedClusters,
        figures,
        agreement);
  }

  /** This experiment with the points of this machine on the hosts of agents. */
  public Definition deployed() {
    return new Definition(
        name,
        title,
        about,
        points.stream().map(Point::deployed).distinct().toList(),
        rounds,
        0,
        sharedClusters,
        figures,
        agreement);
  }

  /** This experiment with other points, and without figures. */
  public Definition withPoints(List<Point> others) {
    return new Definition(
        name, title, about, others, rounds, preheatSeconds, sharedClusters, List.of(), Map.of());
  }

  /** This experiment once, without preheating. */
  public Definition once() {
    return new Definition(name, title, about, points, 1, 0, sharedClusters, figures, agreement);
  }
}
