package org.mortydb.bench.figure;

import java.awt.BasicStroke;
import java.awt.Color;
import java.util.List;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.IntervalMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.Layer;
import org.jfree.chart.ui.RectangleAnchor;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.Range;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;
import org.mortydb.workloads.load.Timeline;

/**
 * Draws throughput and latency over time, and what was done with the cluster meanwhile: a change of
 * the map is a grey stripe, and a kill of servers a red one, each with its number.
 */
public final class GrowthChart {
  private static final int HEIGHT = 560;
  private static final double LEAST_MILLIS = 0.05;
  private static final Color CHANGE = new Color(0xE3E8EF);
  private static final Color KILL = new Color(0xF6D5D5);
  private static final double MILLIS_PER_SECOND = 1_000;

  /**
   * What was done.
   *
   * @param number from 1 on
   * @param kill whether servers were killed; otherwise the map was changed
   * @param fromSecond when it began, since the begin of the timeline
   * @param toSecond when it had ended
   */
  public record Mark(int number, boolean kill, double fromSecond, double toSecond) {}

  private GrowthChart() {}

  /**
   * Draws a run as SVG.
   *
   * @throws FigureFailedException if this machine cannot draw
   */
  public static String of(String title, Timeline.Figures timeline, List<Mark> marks) {
    XYPlot rate =
        plot(
            Svg.axis("transactions per second", true),
            List.of(
                series(
                    "committed",
                    timeline,
                    i ->
                        timeline.committed().get(i)
                            * MILLIS_PER_SECOND
                            / timeline.intervalMillis())),
            0);
    List<XYSeries> latencies =
        List.of(
            latency("p50", timeline, timeline.p50Micros()),
            latency("p99", timeline, timeline.p99Micros()),
            latency("max", timeline, timeline.maxMicros()));
    ValueAxis millis = Svg.logAxis("latency (ms)", 10);
    millis.setRange(range(latencies));
    XYPlot latency = plot(millis, latencies, 1);
    ValueAxis seconds = Svg.axis("time (s)", true);
    CombinedDomainXYPlot both = new CombinedDomainXYPlot(seconds);
    both.setGap(12);
    for (XYPlot plot : List.of(rate, latency)) {
      for (Mark mark : marks) {
        plot.addDomainMarker(marker(mark, plot.equals(rate)), Layer.BACKGROUND);
      }
      both.add(plot);
    }
    return Svg.draw("growth", title, both, HEIGHT);
  }

  private static IntervalMarker marker(Mark mark, boolean labelled) {
    IntervalMarker marker = new IntervalMarker(mark.fromSecond(), mark.toSecond());
    marker.setPaint(mark.kill() ? KILL : CHANGE);
    marker.setAlpha(1);
    if (labelled) {
      marker.setLabel(String.valueOf(mark.number()));
      marker.setLabelFont(Svg.TEXT.deriveFont(8f));
      marker.setLabelAnchor(RectangleAnchor.TOP);
      marker.setLabelTextAnchor(TextAnchor.TOP_CENTER);
    }
    return marker;
  }

  /** The value of an interval of the timeline. */
  @FunctionalInterface
  private interface OfInterval {
    double value(int interval);
  }

  private static XYSeries series(String name, Timeline.Figures timeline, OfInterval values) {
    XYSeries series = new XYSeries(name);
    for (int i = 0; i < timeline.committed().size(); i++) {
      series.add((i + 0.5) * timeline.intervalMillis() / MILLIS_PER_SECOND, values.value(i));
    }
    return series;
  }

  private static XYSeries latency(String name, Timeline.Figures timeline, List<Long> micros) {
    return series(
        name,
        timeline,
        i ->
            timeline.committed().get(i) > 0
                ? Math.max(LEAST_MILLIS, micros.get(i) / MILLIS_PER_SECOND)
                : Double.NaN);
  }

  private static XYPlot plot(ValueAxis axis, List<XYSeries> lines, int firstPlace) {
    XYSeriesCollection data = new XYSeriesCollection();
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, false);
    for (int i = 0; i < lines.size(); i++) {
      data.addSeries(lines.get(i));
      renderer.setSeriesPaint(i, Palette.colour(firstPlace + i));
      renderer.setSeriesStroke(i, new BasicStroke(1));
    }
    XYPlot plot = new XYPlot(data, null, axis, renderer);
    plot.setRangeGridlinePaint(Svg.GRID);
    plot.setDomainGridlinesVisible(false);
    return plot;
  }

  /** The closest powers of ten that no value is outside of. */
  private static Range range(List<XYSeries> lines) {
    double lowest = Double.POSITIVE_INFINITY;
    double highest = LEAST_MILLIS;
    for (XYSeries line : lines) {
      for (int i = 0; i < line.getItemCount(); i++) {
        double value = line.getY(i).doubleValue();
        if (!Double.isNaN(value)) {
          lowest = Math.min(lowest, value);
          highest = Math.max(highest, value);
        }
      }
    }
    lowest = Math.min(lowest, highest);
    return new Range(
        Math.pow(10, Math.floor(Math.log10(lowest))),
        Math.pow(10, Math.floor(Math.log10(highest)) + 1));
  }
}
