package org.mortydb.experiments.paper;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.experiments.figure.Agreement;
import org.mortydb.experiments.figure.Figures;
import org.mortydb.experiments.figure.Measured;
import org.mortydb.experiments.figure.Picture;
import org.mortydb.experiments.figure.PointTable;
import org.mortydb.experiments.figure.Results;
import org.mortydb.experiments.figure.RunMetric;
import org.mortydb.experiments.figure.Statistic;
import org.mortydb.experiments.growth.GrowthRecord;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.FigureSpec;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.runs.Provenance;
import org.mortydb.experiments.windows.Timelines;
import org.mortydb.experiments.windows.WindowsRecord;
import org.mortydb.experiments.windows.WindowsRecord.Lengths;
import org.mortydb.experiments.windows.WindowsTable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Replaces placeholders with values from records. {@code paper/README.md} lists them. */
final class PlaceholderFiller {
  /** The replacement without a record. */
  private static final String NOT_MEASURED =
      "<em class=\"missing\">" + PointTable.NOTHING + "</em>";

  private static final double MICROS_PER_MILLI = 1_000;

  private final Map<String, Definition> definitions;
  private final Results results;
  private final Sources sources = new Sources();
  private Use use = new Use();

  PlaceholderFiller(Map<String, Definition> definitions, Results results) {
    this.definitions = definitions;
    this.results = results;
  }

  /** What a placeholder uses. */
  private static final class Use {
    private final Set<ObjectNode> records = new LinkedHashSet<>();
    private boolean missing;
    private int wantedRuns;
    private int foundRuns;
    private int strayRuns;

    /** Adds the records of some points. */
    void add(List<Measured> points) {
      points.forEach(point -> records.addAll(point.records()));
    }

    /** Adds the points of a definition with some coordinates, and their records. */
    void add(Definition definition, Map<String, String> where, List<Measured> measured) {
      add(measured);
      Map<Map<String, String>, Integer> found = new HashMap<>();
      measured.forEach(point -> found.put(point.coordinates(), point.records().size()));
      for (Point point : definition.points()) {
        Map<String, String> coordinates = Coordinates.texts(point.coordinates());
        if (Coordinates.match(coordinates, where)) {
          wantedRuns += definition.rounds();
          foundRuns += Math.min(definition.rounds(), found.getOrDefault(coordinates, 0));
        }
        found.remove(coordinates);
      }
      strayRuns += found.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  /**
   * A filled place.
   *
   * @param html the replacement of the placeholder
   */
  record Filled(String html, Place place) {}

  /** The list of the sources that replacements cite, as HTML. */
  String sources() {
    return sources.html();
  }

  /**
   * Fills a place.
   *
   * @param line its line in the text
   * @throws InvalidTextException if the placeholder is wrong
   */
  Filled fill(Placeholder place, int line) {
    use = new Use();
    String html = html(place);
    return new Filled(
        html,
        new Place(
            place.source(),
            line,
            use.missing,
            use.wantedRuns,
            use.foundRuns,
            use.strayRuns,
            List.copyOf(use.records)));
  }

  private String html(Placeholder place) {
    return switch (place.kind()) {
      case "figure" -> figure(place);
      case "table" -> table(place);
      case "agreement" -> agreement(place);
      case "value" -> value(place);
      case "ratio" -> ratio(place);
      case "checks" -> checks(place);
      case "environment" -> environment(place);
      case "windows" -> windows(place);
      case GrowthRecord.EXPERIMENT -> growth(place);
      default ->
          throw place.wrong(
              "unknown kind '"
                  + place.kind()
                  + "'; the kinds are figure, table, value, ratio, agreement, checks, environment,"
                  + " windows, growth");
    };
  }

  private String notMeasured() {
    use.missing = true;
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

  /** A reference to the sources of the place; empty if it has no records. */
  private String cited() {
    return use.records.isEmpty() ? "" : sources.cite(use.records);
  }

  /** The points with the coordinates in all arguments except {@code others}. */
  private List<Measured> points(Placeholder place, String... others) {
    return points(place, Map.of(), others);
  }

  /** The points with more coordinates than those in the arguments. */
  private List<Measured> points(Placeholder place, Map<String, String> more, String... others) {
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
    where.putAll(more);
    List<Measured> measured = results.of(definition, where);
    use.add(definition, where, measured);
    return measured;
  }

  private String figure(Placeholder place) {
    Definition definition = definition(place);
    String name = place.required("name");
    FigureSpec wanted =
        definition.figures().stream()
            .filter(figure -> figure.name().equals(name))
            .findFirst()
            .orElseThrow(() -> place.wrong(definition.name() + " has no figure '" + name + "'"));
    List<Measured> shown = results.of(definition, wanted.where());
    use.add(definition, wanted.where(), shown);
    List<Picture> pictures = Figures.draw(definition.name(), wanted, shown);
    if (pictures.isEmpty()) {
      return "<p>" + PointTable.escaped(wanted.title()) + ": " + notMeasured() + "</p>";
    }
    StringBuilder out = new StringBuilder("<figure>");
    pictures.forEach(picture -> out.append(picture.svg()).append('\n'));
    return out.append(
            caption(shown, "Error bars are ", "; hollow marks and bars without one have one round"))
        .append("</figure>\n")
        .toString();
  }

  /** What the intervals are, and which code was measured. */
  private String caption(List<Measured> points, String intervals, String singles) {
    IntSummaryStatistics rounds =
        points.stream()
            .mapToInt(point -> point.records().size())
            .filter(count -> count > 0)
            .summaryStatistics();
    String spread =
        rounds.getMax() <= 1
            ? "One round, so there are no confidence intervals"
            : intervals
                + Statistic.CONFIDENCE
                + " confidence intervals over "
                + (rounds.getMin() == rounds.getMax() ? "" : rounds.getMin() + " to ")
                + rounds.getMax()
                + " rounds"
                + (rounds.getMin() == 1 ? singles : "");
    return "<figcaption>%s; %s.%s</figcaption>"
        .formatted(
            PointTable.escaped(spread),
            PointTable.escaped(Provenance.of(use.records).code()),
            cited());
  }

  private String table(Placeholder place) {
    List<Measured> points = points(place, "columns");
    if (points.isEmpty()) {
      return "<p>" + PointTable.escaped(definition(place).title()) + ": " + notMeasured() + "</p>";
    }
    try {
      PointTable table = PointTable.of(points, List.of(place.required("columns").split(",")));
      use.missing = table.rows().stream().anyMatch(row -> row.contains(PointTable.NOTHING));
      return "<figure>"
          + table.html()
          + caption(points, "± spans ", "; values without it have one round")
          + "</figure>\n";
    } catch (IllegalArgumentException e) {
      throw place.wrong(String.valueOf(e.getMessage()));
    }
  }

  private String agreement(Placeholder place) {
    Definition definition = definition(place);
    if (definition.agreement().isEmpty()) {
      throw place.wrong(definition.name() + " does not state how far its ways agree");
    }
    if (!place.without(List.of("experiment")).isEmpty()) {
      throw place.wrong("an agreement is one of all points: name the experiment only");
    }
    List<Measured> points = points(place);
    Agreement agreement = Agreement.of(definition, points);
    use.missing = agreement.comparisons().stream().anyMatch(one -> one.ratio().isEmpty());
    return "<figure>"
        + agreement.table().html()
        + "<p>"
        + PointTable.escaped(agreement.summary())
        + ".</p>"
        + caption(points, "± spans ", "; values without it have one round")
        + "</figure>\n";
  }

  private String value(Placeholder place) {
    RunMetric metric = metric(place);
    return chosen(place, points(place, "metric", "best"), metric)
        .flatMap(point -> point.metric(metric))
        .map(value -> metric.text(value) + " " + metric.unit() + rounds(value) + cited())
        .orElseGet(this::notMeasured);
  }

  private String ratio(Placeholder place) {
    RunMetric metric = metric(place);
    Optional<Measured> dividend = chosen(place, ofSystem(place, "of"), metric);
    Optional<Measured> divisor = chosen(place, ofSystem(place, "to"), metric);
    return dividend
        .flatMap(of -> divisor.flatMap(to -> Results.ratio(metric, of, to)))
        .map(ratio -> number(ratio) + rounds(ratio) + cited())
        .orElseGet(this::notMeasured);
  }

  /** Says that a value without an interval comes from one round. */
  private static String rounds(Statistic value) {
    return value.rounds() == 1 ? " <small>(one round)</small>" : "";
  }

  private List<Measured> ofSystem(Placeholder place, String side) {
    return points(place, Map.of(Point.SYSTEM, place.required(side)), "metric", "best", "of", "to");
  }

  /** The only point, or the best one with {@code best}. */
  private static Optional<Measured> chosen(
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
    Comparator<Measured> order =
        Comparator.comparingDouble(point -> point.metric(metric).orElseThrow().mean());
    return points.stream()
        .filter(point -> point.metric(metric).isPresent())
        .max("min".equals(best) ? order.reversed() : order);
  }

  private static String number(Statistic ratio) {
    String format = ratio.mean() < 10 ? "%.2f" : "%.0f";
    return ratio.text(number -> String.format(Locale.ROOT, format, number));
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
        use.records.addAll(point.records());
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
    use.add(results.of(definition(place)));
    return use.records.isEmpty()
        ? notMeasured()
        : PointTable.escaped(Provenance.of(use.records).environment());
  }

  /** The results of {@code morty windows}: its table, its picture, a setting or a median. */
  private String windows(Placeholder place) {
    String show = place.required("show");
    Optional<WindowsRecord> found = WindowsRecord.in(results.records());
    WindowsRecord.node(results.records()).ifPresent(use.records::add);
    return switch (show) {
      case "picture" ->
          found
              .map(record -> "<figure>" + Timelines.svg(record) + windowsCaption() + "</figure>\n")
              .orElseGet(() -> "<p>Serialization and validity windows: " + notMeasured() + "</p>");
      case "table" ->
          found
              .map(
                  record ->
                      "<figure>" + WindowsTable.html(record) + windowsCaption() + "</figure>\n")
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
                              Locale.ROOT,
                              "%.2f ms",
                              median(place, system.hot()) / MICROS_PER_MILLI)
                          + cited())
              .orElseGet(this::notMeasured);
      default -> throw place.wrong("show must be picture, table, setting or median, not " + show);
    };
  }

  /** The results of {@code morty growth}: its picture, its steps, or a sentence. */
  private String growth(Placeholder place) {
    String show = place.required("show");
    Optional<GrowthRecord> found = GrowthRecord.in(results.records());
    found.ifPresent(record -> use.records.add(record.node()));
    return switch (show) {
      case "picture" ->
          found
              .map(record -> "<figure>" + record.svg() + growthCaption() + "</figure>\n")
              .orElseGet(() -> "<p>A cluster that grows: " + notMeasured() + "</p>");
      case "table" ->
          found
              .map(record -> "<figure>" + record.table() + growthCaption() + "</figure>\n")
              .orElseGet(() -> "<p>A cluster that grows: " + notMeasured() + "</p>");
      case "summary" ->
          found
              .map(record -> PointTable.escaped(record.summary()) + cited())
              .orElseGet(this::notMeasured);
      default -> throw place.wrong("show must be picture, table or summary, not " + show);
    };
  }

  private String growthCaption() {
    return "<figcaption>One run of server processes; %s.%s</figcaption>"
        .formatted(PointTable.escaped(Provenance.of(use.records).text()), cited());
  }

  private String windowsCaption() {
    return "<figcaption>One run in virtual time; %s.%s</figcaption>"
        .formatted(PointTable.escaped(Provenance.of(use.records).code()), cited());
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
