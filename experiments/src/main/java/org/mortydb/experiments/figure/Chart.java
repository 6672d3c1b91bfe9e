package org.mortydb.experiments.figure;

import java.awt.BasicStroke;
import java.awt.Color;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.CategoryLabelPositions;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.renderer.category.StatisticalBarRenderer;
import org.jfree.chart.renderer.xy.XYErrorRenderer;
import org.jfree.data.statistics.DefaultStatisticalCategoryDataset;
import org.jfree.data.xy.XYIntervalSeries;
import org.jfree.data.xy.XYIntervalSeriesCollection;
import org.mortydb.bench.figure.Palette;
import org.mortydb.bench.figure.Svg;

/**
 * A chart with a line, or a bar in each group, for each name.
 *
 * @param id the prefix of ids in the picture, so that several fit into one document
 * @param title the title above it
 * @param xLabel the label of the horizontal axis
 * @param yLabel the label of the vertical axis
 * @param lines the lines or bars
 * @param logX whether the horizontal axis is logarithmic
 * @param logY whether the vertical axis is logarithmic
 */
record Chart(
    String id,
    String title,
    String xLabel,
    String yLabel,
    List<Line> lines,
    boolean logX,
    boolean logY) {

  private static final int HEIGHT = 380;
  private static final int BARS_HEIGHT = 440;
  private static final double MARGIN = 0.05;
  private static final double MOST_FOR_POWERS_OF_TWO = 512;

  /** The marks of a name, in the order in which a line joins them. */
  record Line(String name, List<Mark> marks) {}

  /**
   * A value.
   *
   * @param group its position on an axis of names
   * @param x its position on an axis of numbers
   */
  record Mark(String group, Statistic x, Statistic y) {}

  /**
   * Lines with markers, and error bars from the least to the greatest round.
   *
   * @param spreadX whether x is a measurement as well
   */
  String lines(boolean spreadX) {
    XYIntervalSeriesCollection data = new XYIntervalSeriesCollection();
    XYErrorRenderer renderer = new XYErrorRenderer();
    renderer.setDrawXError(spreadX);
    renderer.setDefaultLinesVisible(true);
    renderer.setErrorStroke(new BasicStroke(1));
    renderer.setCapLength(5);
    int order = 0;
    for (Line line : lines) {
      XYIntervalSeries series = new XYIntervalSeries(line.name, false, true);
      for (Mark mark : line.marks) {
        if (!(logX && mark.x.min() <= 0) && !(logY && mark.y.min() <= 0)) {
          series.add(
              mark.x.mean(), mark.x.min(), mark.x.max(), mark.y.mean(), mark.y.min(), mark.y.max());
        }
      }
      data.addSeries(series);
      int place = Palette.place(line.name, order);
      renderer.setSeriesPaint(order, Palette.colour(place));
      renderer.setSeriesShape(order, Palette.marker(place));
      renderer.setSeriesShapesFilled(order, true);
      renderer.setSeriesStroke(order, Palette.line());
      order++;
    }
    XYPlot plot = new XYPlot(data, axis(xLabel, logX, true), axis(yLabel, logY, false), renderer);
    plot.setDomainGridlinePaint(Svg.GRID);
    plot.setRangeGridlinePaint(Svg.GRID);
    return Svg.draw(id, title, plot, HEIGHT);
  }

  /** Bars in groups, with error bars for the spread of the rounds. */
  String bars() {
    DefaultStatisticalCategoryDataset data = new DefaultStatisticalCategoryDataset();
    StatisticalBarRenderer renderer = new StatisticalBarRenderer();
    renderer.setBarPainter(new StandardBarPainter());
    renderer.setShadowVisible(false);
    renderer.setItemMargin(MARGIN);
    boolean spread =
        lines.stream()
            .flatMap(line -> line.marks.stream())
            .anyMatch(mark -> mark.y.max() > mark.y.min());
    renderer.setErrorIndicatorPaint(spread ? Color.BLACK : new Color(0, true));
    int order = 0;
    for (Line line : lines) {
      for (Mark mark : line.marks) {
        data.add(mark.y.mean(), (mark.y.max() - mark.y.min()) / 2, line.name, mark.group);
      }
      renderer.setSeriesPaint(order, Palette.colour(Palette.place(line.name, order)));
      order++;
    }
    CategoryAxis groups = new CategoryAxis();
    groups.setTickLabelFont(Svg.TEXT);
    groups.setCategoryLabelPositions(CategoryLabelPositions.UP_45);
    groups.setMaximumCategoryLabelLines(2);
    ValueAxis values = axis(yLabel, logY, false);
    if (logY) {
      // A logarithmic axis has no zero: bars begin at a power of ten below all values.
      DoubleSummaryStatistics all = summary(false);
      double lower = Math.pow(10, Math.floor(Math.log10(all.getMin())));
      renderer.setBase(lower);
      values.setRange(lower, Math.pow(10, Math.ceil(Math.log10(all.getMax()))));
    }
    CategoryPlot plot = new CategoryPlot(data, groups, values, renderer);
    plot.setRangeGridlinePaint(Svg.GRID);
    return Svg.draw(id, title, plot, BARS_HEIGHT);
  }

  private ValueAxis axis(String label, boolean log, boolean horizontal) {
    return log ? Svg.logAxis(label, isWide(horizontal) ? 10 : 2) : Svg.axis(label, !horizontal);
  }

  /** Whether powers of two would give too many ticks. */
  private boolean isWide(boolean horizontal) {
    DoubleSummaryStatistics all = summary(horizontal);
    return all.getMax() / all.getMin() > MOST_FOR_POWERS_OF_TWO;
  }

  /** The positive values along an axis. */
  private DoubleSummaryStatistics summary(boolean horizontal) {
    return lines.stream()
        .flatMap(line -> line.marks.stream())
        .mapToDouble(mark -> horizontal ? mark.x.mean() : mark.y.mean())
        .filter(value -> value > 0)
        .summaryStatistics();
  }
}
