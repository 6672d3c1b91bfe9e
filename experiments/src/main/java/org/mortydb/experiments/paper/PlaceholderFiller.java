package org.mortydb.experiments.paper;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.experiments.figure.Figures;
import org.mortydb.experiments.figure.Measured;
import org.mortydb.experiments.figure.Picture;
import org.mortydb.experiments.figure.PointTable;
import org.mortydb.experiments.figure.Results;
import org.mortydb.experiments.figure.RunMetric;
import org.mortydb.experiments.figure.Statistic;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.FigureSpec;
import org.mortydb.experiments.windows.Timelines;
import org.mortydb.experiments.windows.WindowsRecord;
import org.mortydb.experiments.windows.WindowsRecord.Lengths;
import org.mortydb.experiments.windows.WindowsTable;
import tools.jackson.databind.JsonNode;

/** Replaces placeholders with values from records. {@code paper/README.md} lists them. */
final class PlaceholderFiller {
  /** The replacement without a record. */
  private static final String NOT_MEASURED =
      "<em class=\"missing\">" + PointTable.NOTHING + "</em>";

  private static final double MICROS_PER_MILLI = 1_000;

  private final Map<String, Definition> definitions;
  private final Results results;
  private int missing;

  PlaceholderFiller(Map<String, Definition> definitions, Results results) {
    this.definitions = definitions;
    this.results = results;
  }

  /** The number of placeholders without a record. */
  int missing() {
    return missing;
  }

  /**
   * The replacement of a placeholder, as HTML.
   *
   * @throws InvalidTextException if the placeholder is wrong
   */
  String of(Placeholder place) {
    return switch (place.kind()) {
      case "figure" -> figure(place);
      case "table" -> table(place);
      case "value" -> value(place);
      case "ratio" -> ratio(place);
      case "checks" -> checks(place);
      case "environment" -> environment(place);
      case "windows" -> windows(place);
      default ->
          throw place.wrong(
              "unknown kind '"
                  + place.kind()
                  + "'; the kinds are figure, table, value, ratio, checks, environment, windows");
    };
  }

  private String notMeasured() {
    missing++;
    return NOT_MEASURED;
  }

  private Definition definition(Placeholder place) {
    String name = place.required("experiment");
    Definition definition = definitions.get(name);
    if (definition == null) {
      throw place.wrong(
          "unknown experiment '" + name + "'; the experiments are " + definitions.keySet());
    }
    return definition;
  }

  private RunMetric metric(Placeholder place) {
    try {
      return RunMetric.named(place.required("metric"));
    } catch (IllegalArgumentException e) {
      throw place.wrong(e.getMessage() == null ? "metric" : e.getMessage());
    }
  }

  /** The points with the coordinates in all arguments except {@code others}. */
  private List<Measured> points(Placeholder place, String... others) {
    Definition definition = definition(place);
    List<String> names = new ArrayList<>(List.of(others));
    names.add("experiment");
    Map<String, String> where = place.without(names);
    Set<String> known = new LinkedHashSet<>();
    definition.points().forEach(point -> known.addAll(point.coordinates().keySet()));
    for (String name : where.keySet()) {
      if (!known.contains(name)) {
        throw place.wrong("'" + name + "' is not a coordinate of " + definition.name());
      }
    }
    return results.of(definition, where);
  }

  private String figure(Placeholder place) {
    Definition definition = definition(place);
    String name = place.required("name");
    FigureSpec wanted =
        definition.figures().stream()
            .filter(figure -> figure.name().equals(name))
            .findFirst()
            .orElseThrow(() -> place.wrong(definition.name() + " has no figure '" + name + "'"));
    List<Picture> pictures = Figures.draw(definition.name(), wanted, results.of(definition));
    if (pictures.isEmpty()) {
      return "<p>" + PointTable.escaped(wanted.title()) + ": " + notMeasured() + "</p>";
    }
    StringBuilder out = new StringBuilder();
    for (Picture picture : pictures) {
      out.append("<figure>").append(picture.svg()).append("</figure>\n");
    }
    return out.toString();
  }

  private String table(Placeholder place) {
    List<Measured> points = points(place, "columns");
    if (points.isEmpty()) {
      return "<p>" + PointTable.escaped(definition(place).title()) + ": " + notMeasured() + "</p>";
    }
    try {
      return PointTable.of(points, List.of(place.required("columns").split(","))).html();
    } catch (IllegalArgumentException e) {
      throw place.wrong(String.valueOf(e.getMessage()));
    }
  }

  private String value(Placeholder place) {
    RunMetric metric = metric(place);
    return chosen(place, points(place, "metric", "best"), metric)
        .map(value -> metric.text(value) + " " + metric.unit())
        .orElseGet(this::notMeasured);
  }

  private String ratio(Placeholder place) {
    RunMetric metric = metric(place);
    List<Measured> points = points(place, "metric", "best", "of", "to");
    Optional<Double> dividend = chosen(place, ofSystem(place, points, "of"), metric);
    Optional<Double> divisor = chosen(place, ofSystem(place, points, "to"), metric);
    return dividend.isEmpty() || divisor.isEmpty() || divisor.get() == 0
        ? notMeasured()
        : number(dividend.get() / divisor.get());
  }

  private static List<Measured> ofSystem(Placeholder place, List<Measured> points, String side) {
    String system = place.required(side);
    return points.stream().filter(point -> point.system().equals(system)).toList();
  }

  /** The value of the only point, or of the best one with {@code best}. */
  private static Optional<Double> chosen(
      Placeholder place, List<Measured> points, RunMetric metric) {
    @Nullable String best = place.optional("best");
    if (best != null && !best.equals("max") && !best.equals("min")) {
      throw place.wrong("best must be max or min, not " + best);
    }
    if (best == null && points.size() > 1) {
      Map<String, Set<String>> differing = new LinkedHashMap<>();
      for (Measured point : points) {
        point
            .coordinates()
            .forEach(
                (name, value) ->
                    differing.computeIfAbsent(name, any -> new LinkedHashSet<>()).add(value));
      }
      differing.values().removeIf(values -> values.size() == 1);
      throw place.wrong(
          points.size()
              + " points have these coordinates; choose by "
              + differing
              + " or best=max");
    }
    Comparator<Double> order = Comparator.naturalOrder();
    return points.stream()
        .flatMap(point -> point.metric(metric).stream())
        .map(Statistic::mean)
        .max("min".equals(best) ? order.reversed() : order);
  }

  private static String number(double ratio) {
    return String.format(Locale.ROOT, ratio < 10 ? "%.2f" : "%.0f", ratio);
  }

  /** The results of the checks of one experiment or of all. */
  private String checks(Placeholder place) {
    Set<String> names =
        place.optional("experiment") == null
            ? definitions.keySet()
            : Set.of(definition(place).name());
    long runs = 0;
    long checked = 0;
    long consistent = 0;
    long violated = 0;
    long failed = 0;
    long transactions = 0;
    for (String name : names) {
      for (Measured point : results.of(name)) {
        runs += point.records().size();
        checked += point.checked();
        consistent += point.conditionsChecked();
        violated += point.violations();
        failed += point.failures().size();
        for (JsonNode record : point.records()) {
          transactions += record.path("check").path("transactions").asLong(0);
        }
      }
    }
    if (runs + failed == 0) {
      return notMeasured();
    }
    return String.format(
        Locale.ROOT,
        "%,d runs: %,d with a checked history (%,d transactions in total), %,d with checked"
            + " conditions of the workload; %,d with a violation; %,d more runs failed",
        runs,
        checked,
        transactions,
        consistent,
        violated,
        failed);
  }

  /** The environment of the runs of an experiment. */
  private String environment(Placeholder place) {
    Set<String> places = new LinkedHashSet<>();
    List<String> times = new ArrayList<>();
    for (Measured point : results.of(definition(place))) {
      for (JsonNode record : point.records()) {
        JsonNode facts = record.path("environment");
        places.add(
            "%s processors, %s, %s, Java %s"
                .formatted(
                    facts.path("processors").asString("?"),
                    facts.path("arch").asString("?"),
                    facts.path("os").asString("?"),
                    facts.path("java").asString("?")));
        times.add(facts.path("time").asString("?"));
      }
    }
    if (places.isEmpty()) {
      return notMeasured();
    }
    times.sort(Comparator.naturalOrder());
    return PointTable.escaped(
        String.join("; ", places)
            + ", from "
            + times.getFirst()
            + (times.size() == 1 ? "" : " to " + times.getLast()));
  }

  /** The results of {@code morty windows}: its table, its picture, a setting or a median. */
  private String windows(Placeholder place) {
    String show = place.required("show");
    Optional<WindowsRecord> found = WindowsRecord.in(results.records());
    return switch (show) {
      case "picture" ->
          found
              .map(record -> "<figure>" + Timelines.svg(record) + "</figure>\n")
              .orElseGet(() -> "<p>Serialization and validity windows: " + notMeasured() + "</p>");
      case "table" ->
          found
              .map(WindowsTable::html)
              .orElseGet(() -> "<p>Serialization and validity windows: " + notMeasured() + "</p>");
      case "setting" ->
          found
              .map(record -> record.settings().get(place.required("name")))
              .map(value -> PointTable.escaped(String.valueOf(value)))
              .orElseGet(this::notMeasured);
      case "median" ->
          found
              .flatMap(record -> record.system(place.required("system")))
              .map(
                  system ->
                      String.format(
                          Locale.ROOT, "%.2f ms", median(place, system.hot()) / MICROS_PER_MILLI))
              .orElseGet(this::notMeasured);
      default -> throw place.wrong("show must be picture, table, setting or median, not " + show);
    };
  }

  private static long median(Placeholder place, Lengths lengths) {
    String window = place.required("window");
    return switch (window) {
      case "serialization" -> lengths.serialization().p50();
      case "validity" -> lengths.validity().p50();
      case "commit" -> lengths.commit().p50();
      default ->
          throw place.wrong("window must be serialization, validity or commit, not " + window);
    };
  }
}
