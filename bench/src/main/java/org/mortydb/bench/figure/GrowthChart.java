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
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;
import org.mortydb.workloads.load.Timeline;

/**
 * Draws throughput and latency over time, and what was done with the cluster meanwhile: a change of
 * the map is a grey stripe, and a kill of servers a red one, each with its number.
 */
public final class GrowthChart {
  private static final int HEIGHT = 560;
  private static final Color CHANGE = new Color(0xE3E8EF);
  private static final Color KILL = new Color(0xF6D5D5);

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
    XYSeriesCollection committed = new XYSeriesCollection(committed(timeline));
    XYSeriesCollection latencies = new XYSeriesCollection();
    latencies.addSeries(TimelineChart.latency("p50", timeline, timeline.p50Micros()));
    latencies.addSeries(TimelineChart.latency("p99", timeline, timeline.p99Micros()));
    latencies.addSeries(TimelineChart.latency("max", timeline, timeline.maxMicros()));
    ValueAxis millis = Svg.logAxis("latency (ms)", 10);
    millis.setRange(TimelineChart.powersOfTen(latencies));
    XYPlot rate = plot(Svg.axis("transactions per second", true), committed, 0);
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

  private static XYSeries committed(Timeline.Figures timeline) {
    XYSeries series = new XYSeries("committed");
    for (int i = 0; i < timeline.committed().size(); i++) {
      double perSecond = timeline.committed().get(i) * 1e3 / timeline.intervalMillis();
      series.add(TimelineChart.second(timeline, i), perSecond);
    }
    return series;
  }

  private static XYPlot plot(ValueAxis axis, XYSeriesCollection lines, int firstPlace) {
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, false);
    for (int i = 0; i < lines.getSeriesCount(); i++) {
      renderer.setSeriesPaint(i, Palette.colour(firstPlace + i));
      renderer.setSeriesStroke(i, new BasicStroke(1));
    }
    XYPlot plot = new XYPlot(lines, null, axis, renderer);
    plot.setRangeGridlinePaint(Svg.GRID);
    plot.setDomainGridlinesVisible(false);
    return plot;
  }
}
