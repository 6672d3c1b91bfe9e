package org.mortydb.experiments.figure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import org.mortydb.cli.text.TextTable;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Point;
import org.mortydb.protocol.system.Morty;

/**
 * A table of points: first their coordinates, then their metrics. Metrics of several rounds are
 * averages with the margin of their interval.
 *
 * @param header the names of the columns
 * @param units the units of the columns; empty for none
 * @param words the number of columns, from the left, that are words
 * @param rows the cells
 */
public record PointTable(
    List<String> header, List<String> units, int words, List<List<String>> rows) {
  /** The text of a missing number. */
  public static final String NOTHING = "not measured";

  /** A column: throughput divided by Morty's at the same point. */
  public static final String RATIO = "ratio";

  /** A column: the verdict of the checks. */
  public static final String VERDICT = "verdict";

  /**
   * The columns of a table of latency by load, without those that name the points.
   *
   * @see #latencyByLoad
   */
  private static final List<String> LATENCY_BY_LOAD =
      List.of(
          "offered",
          "throughput",
          "p50",
          "p99",
          "p999",
          "max",
          "cpuPerCommit",
          "fastPath",
          "longestPause",
          "longestCollection",
          VERDICT);

  /**
   * A table of latency by load: the points that are open loops.
   *
   * @param names the columns that name the points
   * @return empty if there are no open loops
   */
  public static Optional<PointTable> latencyByLoad(List<Measured> points, List<String> names) {
    List<Measured> open = points.stream().filter(Measured::isOpenLoop).toList();
    List<String> columns = new ArrayList<>(names);
    columns.addAll(LATENCY_BY_LOAD);
    return open.isEmpty() ? Optional.empty() : Optional.of(of(open, columns));
  }

  /**
   * Creates a table with a row for each point.
   *
   * @param columns names of coordinates, of metrics, {@link #RATIO} and {@link #VERDICT}
   * @throws IllegalArgumentException if a column is none of these
   */
  public static PointTable of(List<Measured> points, List<String> columns) {
    List<String> header = new ArrayList<>();
    List<String> units = new ArrayList<>();
    int words = 0;
    for (String column : columns) {
      boolean coordinate =
          points.stream().anyMatch(point -> point.coordinates().containsKey(column));
      if (column.equals(RATIO)) {
        header.add("ratio to Morty");
        units.add("");
      } else if (column.equals(VERDICT)) {
        header.add("checks");
        units.add("");
      } else if (RunMetric.isNamed(column)) {
        header.add(RunMetric.named(column).label());
        units.add(RunMetric.named(column).unit());
      } else if (coordinate || points.isEmpty()) {
        header.add(column.equals(Point.LABEL) ? "workload" : column);
        units.add("");
        words++;
      } else {
        throw new IllegalArgumentException(
            "'" + column + "' is neither a metric nor a coordinate of these points");
      }
    }
    List<List<String>> rows = new ArrayList<>();
    for (Measured point : points) {
      rows.add(columns.stream().map(column -> cell(points, point, column)).toList());
    }
    return new PointTable(header, units, words, rows);
  }

  private static String cell(List<Measured> points, Measured point, String column) {
    if (column.equals(VERDICT)) {
      return point.verdict();
    }
    if (column.equals(RATIO)) {
      return ratio(points, point).map(PointTable::ratioText).orElse("-");
    }
    if (RunMetric.isNamed(column)) {
      RunMetric metric = RunMetric.named(column);
      return point.metric(metric).map(metric::text).orElse(NOTHING);
    }
    return Coordinates.text(point.coordinate(column));
  }

  static String ratioText(Statistic ratio) {
    return ratio.text(number -> String.format(Locale.ROOT, "%.2f", number));
  }

  /** The ratio to Morty; Morty's own has no interval. */
  private static Optional<Statistic> ratio(List<Measured> points, Measured point) {
    if (point.system().equals(Morty.NAME)) {
      return point
          .metric(RunMetric.THROUGHPUT)
          .filter(own -> own.mean() != 0)
          .map(own -> new Statistic(1, OptionalDouble.empty(), own.rounds()));
    }
    return points.stream()
        .filter(
            other ->
                other.system().equals(Morty.NAME)
                    && other.without(Point.SYSTEM).equals(point.without(Point.SYSTEM)))
        .findFirst()
        .flatMap(morty -> Results.ratio(RunMetric.THROUGHPUT, point, morty));
  }

  /** The table as text, with an empty line where the first column changes. */
  public String text() {
    TextTable table =
        new TextTable(column -> column < words || header.get(column).equals("checks"))
            .row(header.toArray())
            .row(units.toArray());
    String first = "";
    for (List<String> row : rows) {
      List<String> shown = new ArrayList<>(row);
      if (row.getFirst().equals(first)) {
        shown.set(0, "");
      } else {
        table.row();
      }
      table.row(shown.toArray());
      first = row.getFirst();
    }
    return table.toString();
  }

  /** The table as an element of HTML. */
  public String html() {
    StringBuilder out = new StringBuilder("<table>\n<thead><tr>");
    for (int i = 0; i < header.size(); i++) {
      String unit = units.get(i).isEmpty() ? "" : " <small>(" + escaped(units.get(i)) + ")</small>";
      out.append(i < words ? "<th>" : "<th class=\"number\">")
          .append(escaped(header.get(i)))
          .append(unit)
          .append("</th>");
    }
    out.append("</tr></thead>\n<tbody>\n");
    for (List<String> row : rows) {
      out.append("<tr>");
      for (int i = 0; i < row.size(); i++) {
        boolean missing = row.get(i).equals(NOTHING);
        out.append(
                i < words ? "<td>" : missing ? "<td class=\"missing\">" : "<td class=\"number\">")
            .append(escaped(row.get(i)))
            .append("</td>");
      }
      out.append("</tr>\n");
    }
    return out.append("</tbody>\n</table>").toString();
  }

  /** Escapes text for HTML. */
  public static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
