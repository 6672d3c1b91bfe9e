package org.mortydb.bench.figure;

import java.awt.BasicStroke;
import java.awt.Color;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.data.Range;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;
import org.mortydb.bench.measure.Pauses;
import org.mortydb.bench.report.Report;
import org.mortydb.workloads.load.Timeline;

/**
 * Draws latency over time, and the pauses of the processes on the same axis: a pause is a mark at
 * its end, as high as it was long. Latency that pauses explain is as high as a mark near it.
 */
public final class TimelineChart {
  private static final int HEIGHT = 420;
  private static final double LEAST_MILLIS = 0.05;
  private static final List<String> LATENCIES = List.of("p50", "p99", "max");

  private final XYSeriesCollection data = new XYSeriesCollection();
  private final XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer();

  private TimelineChart() {}

  /**
   * Draws the run of a report as SVG.
   *
   * @throws FigureFailedException if this machine cannot draw
   */
  public static String of(Report report) {
    TimelineChart chart = new TimelineChart();
    Timeline.Figures timeline = report.timeline();
    if (timeline != null) {
      List<List<Long>> micros =
          List.of(timeline.p50Micros(), timeline.p99Micros(), timeline.maxMicros());
      for (int i = 0; i < LATENCIES.size(); i++) {
        chart.line(LATENCIES.get(i), i, timeline, micros.get(i));
      }
    }
    if (report.pauses() != null) {
      chart.pauses(report.pauses());
    }
    String title =
        String.format(
            Locale.ROOT,
            "%s, %s: %,.0f transactions/s",
            report.system(),
            report.workload(),
            report.committedPerSecond());
    ValueAxis millis = Svg.logAxis("latency, length of a pause (ms)", 10);
    millis.setRange(powersOfTen(chart.data));
    XYPlot plot =
        new XYPlot(
            chart.data, Svg.axis("time within the window (s)", true), millis, chart.renderer);
    plot.setDomainGridlinePaint(Svg.GRID);
    plot.setRangeGridlinePaint(Svg.GRID);
    return Svg.draw("timeline", title, plot, HEIGHT);
  }

  /** The closest powers of ten that no value is outside of. A logarithmic axis needs both. */
  static Range powersOfTen(XYSeriesCollection data) {
    Range range = data.getRangeBounds(false);
    double lowest = range == null ? 1 : range.getLowerBound();
    double highest = range == null ? 1 : range.getUpperBound();
    return new Range(
        Math.pow(10, Math.ceil(Math.log10(lowest)) - 1),
        Math.pow(10, Math.floor(Math.log10(highest)) + 1));
  }

  /** The latencies of the intervals, with gaps where nothing was committed. */
  static XYSeries latency(String name, Timeline.Figures timeline, List<Long> micros) {
    XYSeries series = new XYSeries(name);
    for (int i = 0; i < micros.size(); i++) {
      boolean any = timeline.committed().get(i) > 0;
      series.add(
          second(timeline, i), any ? Math.max(LEAST_MILLIS, micros.get(i) / 1e3) : Double.NaN);
    }
    return series;
  }

  /** The middle of an interval, in seconds. */
  static double second(Timeline.Figures timeline, int interval) {
    return (interval + 0.5) * timeline.intervalMillis() / 1_000;
  }

  private void line(String name, int place, Timeline.Figures timeline, List<Long> micros) {
    int order = add(latency(name, timeline, micros), Palette.colour(place));
    renderer.setSeriesShapesVisible(order, false);
    renderer.setSeriesStroke(order, new BasicStroke(1));
  }

  private void pauses(Pauses pauses) {
    int order = LATENCIES.size();
    for (Pauses.OfProcess of : pauses.processes()) {
      int place = Palette.place(of.process(), order++);
      Map<String, XYSeries> kinds = new LinkedHashMap<>();
      for (Pauses.Single single : of.longest()) {
        kinds
            .computeIfAbsent(single.kind(), kind -> new XYSeries(of.process() + ": " + kind))
            .add(single.endSeconds(), single.micros() / 1e3);
      }
      for (Map.Entry<String, XYSeries> kind : kinds.entrySet()) {
        int series = add(kind.getValue(), Palette.colour(place));
        renderer.setSeriesLinesVisible(series, false);
        renderer.setSeriesShape(series, Palette.marker(place));
        renderer.setSeriesShapesFilled(series, kind.getKey().equals("collection"));
      }
    }
  }

  private int add(XYSeries series, Color colour) {
    int order = data.getSeriesCount();
    data.addSeries(series);
    renderer.setSeriesPaint(order, colour);
    return order;
  }
}
