package org.mortydb.experiments.figure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.plan.Way;

/**
 * Whether points agree that differ only in the way that they ran. Each way is compared with the
 * real run on this machine, or with the first way if the experiment has no real points.
 *
 * @param comparisons a comparison for each point, metric and way
 */
public record Agreement(List<Comparison> comparisons) {
  private static final String WAY = "way";

  /** The coordinates that only some ways have. */
  private static final List<String> OF_WAYS = List.of(WAY, "processes");

  /** Copies the list. */
  public Agreement {
    comparisons = List.copyOf(comparisons);
  }

  /**
   * A comparison of a metric.
   *
   * @param point the name of the point without its way
   * @param way the way that is compared
   * @param with the way that it is compared with
   * @param ratio the metric of the first way over that of the other; empty if one is not measured
   * @param within how much they may differ, as a share
   */
  public record Comparison(
      String point,
      RunMetric metric,
      String way,
      String with,
      Optional<Statistic> one,
      Optional<Statistic> other,
      Optional<Statistic> ratio,
      double within) {

    /** Whether they differ by no more than stated; false if one is not measured. */
    public boolean agrees() {
      return ratio.filter(one -> Math.abs(one.mean() - 1) <= within).isPresent();
    }

    /** The verdict in a word or two. */
    public String verdict() {
      return ratio.isEmpty() ? PointTable.NOTHING : agrees() ? "agree" : "DIFFER";
    }
  }

  /**
   * Checks that the metrics of a definition exist.
   *
   * @throws IllegalArgumentException if one does not
   */
  static void check(Definition definition) {
    definition.agreement().keySet().forEach(RunMetric::named);
  }

  /**
   * Compares the ways of a definition.
   *
   * @param points the records
   */
  public static Agreement of(Definition definition, List<Measured> points) {
    Map<Map<String, String>, Map<String, Map<String, String>>> groups = new LinkedHashMap<>();
    for (Point point : definition.points()) {
      Map<String, String> coordinates = Coordinates.texts(point.coordinates());
      Map<String, String> rest = new LinkedHashMap<>(coordinates);
      OF_WAYS.forEach(rest::remove);
      groups
          .computeIfAbsent(rest, any -> new LinkedHashMap<>())
          .put(point.way().toString(), coordinates);
    }
    Set<String> differing = differing(groups.keySet());
    List<Comparison> comparisons = new ArrayList<>();
    groups.forEach(
        (rest, ways) -> {
          String real = Way.REAL.toString();
          String with = ways.containsKey(real) ? real : ways.keySet().iterator().next();
          Optional<Measured> other = find(points, ways.getOrDefault(with, Map.of()));
          for (Map.Entry<String, Map<String, String>> way : ways.entrySet()) {
            if (!way.getKey().equals(with)) {
              Optional<Measured> one = find(points, way.getValue());
              definition
                  .agreement()
                  .forEach(
                      (metric, within) ->
                          comparisons.add(
                              compare(
                                  name(rest, differing),
                                  RunMetric.named(metric),
                                  way.getKey(),
                                  with,
                                  one,
                                  other,
                                  within)));
            }
          }
        });
    return new Agreement(comparisons);
  }

  private static Comparison compare(
      String point,
      RunMetric metric,
      String way,
      String with,
      Optional<Measured> one,
      Optional<Measured> other,
      double within) {
    return new Comparison(
        point,
        metric,
        way,
        with,
        one.flatMap(of -> of.metric(metric)),
        other.flatMap(of -> of.metric(metric)),
        one.flatMap(of -> other.flatMap(to -> Results.ratio(metric, of, to))),
        within);
  }

  private static Optional<Measured> find(List<Measured> points, Map<String, String> coordinates) {
    return points.stream().filter(point -> point.coordinates().equals(coordinates)).findFirst();
  }

  /** The coordinates that tell points apart. A label stands for all but the system. */
  private static Set<String> differing(Set<Map<String, String>> points) {
    Set<String> all = new LinkedHashSet<>();
    points.forEach(point -> all.addAll(point.keySet()));
    boolean labels = points.stream().allMatch(point -> point.containsKey(Point.LABEL));
    all.removeIf(
        name ->
            labels
                ? !name.equals(Point.LABEL)
                : points.stream().map(point -> point.getOrDefault(name, "")).distinct().count()
                    == 1);
    all.remove(Point.SYSTEM);
    all.add(Point.SYSTEM);
    return all;
  }

  private static String name(Map<String, String> point, Set<String> differing) {
    List<String> parts = new ArrayList<>();
    for (String name : differing) {
      String value = point.get(name);
      if (value != null) {
        parts.add(
            name.equals(Point.LABEL) || name.equals(Point.SYSTEM) ? value : name + " " + value);
      }
    }
    return String.join(", ", parts);
  }

  /** The comparisons as a table. */
  public PointTable table() {
    List<List<String>> rows = new ArrayList<>();
    for (Comparison one : comparisons) {
      rows.add(
          List.of(
              one.point,
              one.metric.label(),
              one.way + " / " + one.with,
              one.one.map(one.metric::text).orElse(PointTable.NOTHING),
              one.other.map(one.metric::text).orElse(PointTable.NOTHING),
              one.ratio.map(PointTable::ratioText).orElse("-"),
              String.format(Locale.ROOT, "%.0f %%", one.within * 100),
              one.verdict()));
    }
    return new PointTable(
        List.of("point", "metric", "ways", "one", "other", "ratio", "stated", "they"),
        List.of("", "", "", "", "", "", "", ""),
        3,
        rows);
  }

  /** How many comparisons agree, in a sentence without a full stop. */
  public String summary() {
    long agreeing = comparisons.stream().filter(Comparison::agrees).count();
    long missing = comparisons.stream().filter(one -> one.ratio.isEmpty()).count();
    return "%d of %d comparisons agree within what the definition states%s"
        .formatted(
            agreeing, comparisons.size(), missing == 0 ? "" : ", " + missing + " are not measured");
  }
}
