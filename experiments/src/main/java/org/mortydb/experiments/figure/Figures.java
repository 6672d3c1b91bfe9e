package org.mortydb.experiments.figure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.figure.FigureFailedException;
import org.mortydb.experiments.figure.Chart.Line;
import org.mortydb.experiments.figure.Chart.Mark;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.FigureSpec;

/** Draws the figures of a definition from records. */
public final class Figures {
  private Figures() {}

  /**
   * Checks that a definition's figures name existing metrics and coordinates.
   *
   * @throws IllegalArgumentException if one does not; the message names it
   */
  public static void check(Definition definition) {
    Agreement.check(definition);
    Set<String> coordinates = new LinkedHashSet<>();
    definition.points().forEach(point -> coordinates.addAll(point.coordinates().keySet()));
    for (FigureSpec figure : definition.figures()) {
      String where = definition.name() + ", figure " + figure.name() + ": ";
      if (!RunMetric.isNamed(figure.x()) && !coordinates.contains(figure.x())) {
        throw new IllegalArgumentException(
            where + "x is neither a metric nor a coordinate: '" + figure.x() + "'");
      }
      if (RunMetric.isNamed(figure.x()) && figure.along() == null) {
        throw new IllegalArgumentException(
            where + "x is a metric, so 'along' must name the coordinate that joins the points");
      }
      try {
        RunMetric.named(figure.y());
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(where + "y: " + e.getMessage(), e);
      }
    }
  }

  /**
   * Draws a figure: one picture, or one for each value of its panel. Points without records are
   * left out.
   *
   * @param points the points of its experiment
   * @throws FigureFailedException if this machine cannot draw
   */
  public static List<Picture> draw(String experiment, FigureSpec figure, List<Measured> points) {
    Map<String, List<Measured>> panels = new LinkedHashMap<>();
    String panel = figure.panel();
    for (Measured point : points) {
      if (Coordinates.match(point.coordinates(), figure.where())) {
        String value = panel == null ? "" : point.coordinate(panel);
        panels.computeIfAbsent(value, any -> new ArrayList<>()).add(point);
      }
    }
    List<Picture> pictures = new ArrayList<>();
    panels.forEach((value, inPanel) -> picture(experiment, figure, value, inPanel, pictures));
    return pictures;
  }

  private static void picture(
      String experiment,
      FigureSpec figure,
      String panelValue,
      List<Measured> points,
      List<Picture> into) {
    boolean metricX = RunMetric.isNamed(figure.x());
    RunMetric y = RunMetric.named(figure.y());
    boolean categories =
        !metricX && points.stream().anyMatch(point -> !isNumber(point.coordinate(figure.x())));
    Map<String, List<Mark>> marks = new LinkedHashMap<>();
    for (Measured point : ordered(figure, points, metricX)) {
      Optional<Statistic> value = point.metric(y);
      Optional<Statistic> x =
          metricX
              ? point.metric(RunMetric.named(figure.x()))
              : categories
                  ? Optional.of(at(0))
                  : Optional.of(at(Double.parseDouble(point.coordinate(figure.x()))));
      if (value.isPresent() && x.isPresent()) {
        marks
            .computeIfAbsent(point.coordinate(figure.series()), any -> new ArrayList<>())
            .add(new Mark(point.coordinate(figure.x()), x.get(), value.get()));
      }
    }
    if (marks.isEmpty()) {
      return;
    }
    List<Line> lines = new ArrayList<>();
    marks.forEach((name, ofLine) -> lines.add(new Line(name, ofLine)));
    String title =
        panelValue.isEmpty() ? figure.title() : figure.title() + ": " + panel(figure, panelValue);
    String name =
        figure.name()
            + (panelValue.isEmpty() ? "" : "-" + panelValue.replaceAll("[^A-Za-z0-9.]+", "-"));
    String xLabel = metricX ? axis(RunMetric.named(figure.x())) : RunMetric.labelOf(figure.x());
    Chart chart =
        new Chart(
            experiment + "-" + name, title, xLabel, axis(y), lines, figure.logX(), figure.logY());
    into.add(new Picture(name, title, categories ? chart.bars() : chart.lines(metricX)));
  }

  private static String panel(FigureSpec figure, String value) {
    String panel = String.valueOf(figure.panel());
    return isNumber(value) ? panel + " " + value : value;
  }

  /** Orders points by the joining coordinate, if it is a number. */
  private static List<Measured> ordered(FigureSpec figure, List<Measured> points, boolean metricX) {
    @Nullable String along = metricX ? figure.along() : figure.x();
    if (along == null || points.stream().anyMatch(point -> !isNumber(point.coordinate(along)))) {
      return points;
    }
    return points.stream()
        .sorted(Comparator.comparingDouble(point -> Double.parseDouble(point.coordinate(along))))
        .toList();
  }

  private static Statistic at(double x) {
    return Samples.of(x).statistic();
  }

  private static String axis(RunMetric metric) {
    return metric.label() + " (" + metric.unit() + ")";
  }

  private static boolean isNumber(String text) {
    return text.matches("-?\\d+(\\.\\d+)?([eE]-?\\d+)?");
  }
}
