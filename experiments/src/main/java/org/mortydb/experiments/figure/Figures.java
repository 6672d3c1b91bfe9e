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
import org.mortydb.experiments.figure.Chart.Line;
import org.mortydb.experiments.figure.Chart.Mark;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.FigureSpec;

/** Draws the figures that a definition wants, from what has been measured. */
public final class Figures {
  private Figures() {}

  /**
   * Sees that a definition's figures name what there is.
   *
   * @throws IllegalArgumentException when one does not; the message says which
   */
  public static void check(Definition definition) {
    Set<String> coordinates = new LinkedHashSet<>();
    definition.points().forEach(point -> coordinates.addAll(point.coordinates().keySet()));
    for (FigureSpec figure : definition.figures()) {
      String where = definition.name() + ", figure " + figure.name() + ": ";
      if (!Metric.isNamed(figure.x()) && !coordinates.contains(figure.x())) {
        throw new IllegalArgumentException(
            where + "x is neither a metric nor a coordinate: '" + figure.x() + "'");
      }
      if (Metric.isNamed(figure.x()) && figure.along() == null) {
        throw new IllegalArgumentException(
            where + "x is a metric, so 'along' must say which coordinate joins the points");
      }
      try {
        Metric.named(figure.y());
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(where + "y: " + e.getMessage(), e);
      }
    }
  }

  /**
   * Draws a figure: one picture, or as many as its panel has values. Of what has not been measured
   * nothing is drawn.
   *
   * @param points those of its experiment
   * @throws FigureFailedException when this machine cannot draw
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
    boolean metricX = Metric.isNamed(figure.x());
    Metric y = Metric.named(figure.y());
    boolean categories =
        !metricX && points.stream().anyMatch(point -> !isNumber(point.coordinate(figure.x())));
    Map<String, List<Mark>> marks = new LinkedHashMap<>();
    for (Measured point : ordered(figure, points, metricX)) {
      Optional<Statistic> value = point.metric(y);
      Optional<Statistic> x =
          metricX
              ? point.metric(Metric.named(figure.x()))
              : categories
                  ? Optional.of(new Statistic(0, 0, 0, 0))
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
    String xLabel = metricX ? axis(Metric.named(figure.x())) : Metric.labelOf(figure.x());
    Chart chart =
        new Chart(
            experiment + "-" + name, title, xLabel, axis(y), lines, figure.logX(), figure.logY());
    into.add(new Picture(name, title, categories ? chart.bars() : chart.lines(metricX)));
  }

  private static String panel(FigureSpec figure, String value) {
    String panel = String.valueOf(figure.panel());
    return isNumber(value) ? panel + " " + value : value;
  }

  /** By the coordinate along which points are joined; as they come when that is no number. */
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
    return new Statistic(x, x, x, 1);
  }

  private static String axis(Metric metric) {
    return metric.label() + " (" + metric.unit() + ")";
  }

  private static boolean isNumber(String text) {
    return text.matches("-?\\d+(\\.\\d+)?([eE]-?\\d+)?");
  }
}
