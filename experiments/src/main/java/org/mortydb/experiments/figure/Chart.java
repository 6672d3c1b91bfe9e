package org.mortydb.experiments.figure;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Paint;
import java.io.Serial;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.CategoryLabelPositions;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.renderer.category.StatisticalBarRenderer;
import org.jfree.chart.renderer.xy.XYErrorRenderer;
import org.jfree.data.statistics.DefaultStatisticalCategoryDataset;
import org.jfree.data.xy.XYIntervalSeries;
import org.jfree.data.xy.XYIntervalSeriesCollection;
import org.jspecify.annotations.Nullable;
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
   * Lines with markers, and error bars for the confidence intervals. Marks of a single round are
   * hollow.
   *
   * @param spreadX whether x is a measurement as well
   */
  String lines(boolean spreadX) {
    XYIntervalSeriesCollection data = new XYIntervalSeriesCollection();
    List<List<Boolean>> filled = new ArrayList<>();
    XYErrorRenderer renderer = new HollowSingles(filled);
    renderer.setUseFillPaint(true);
    renderer.setDrawXError(spreadX);
    renderer.setDefaultLinesVisible(true);
    renderer.setErrorStroke(new BasicStroke(1));
    renderer.setCapLength(5);
    int order = 0;
    for (Line line : lines) {
      XYIntervalSeries series = new XYIntervalSeries(line.name, false, true);
      List<Boolean> filledMarks = new ArrayList<>();
      filled.add(filledMarks);
      for (Mark mark : line.marks) {
        if (!(logX && mark.x.mean() <= 0) && !(logY && mark.y.mean() <= 0)) {
          series.add(
              mark.x.mean(),
              low(mark.x, logX, true),
              mark.x.high(),
              mark.y.mean(),
              low(mark.y, logY, false),
              mark.y.high());
          filledMarks.add(mark.y.margin().isPresent());
        }
      }
      data.addSeries(series);
      int place = Palette.place(line.name, order);
      renderer.setSeriesPaint(order, Palette.colour(place));
      renderer.setSeriesFillPaint(order, Palette.colour(place));
      renderer.setSeriesShape(order, Palette.marker(place));
      renderer.setSeriesStroke(order, Palette.line());
      order++;
    }
    XYPlot plot = new XYPlot(data, axis(xLabel, logX, true), axis(yLabel, logY, false), renderer);
    plot.setDomainGridlinePaint(Svg.GRID);
    plot.setRangeGridlinePaint(Svg.GRID);
    return Svg.draw(id, title, plot, HEIGHT);
  }

  /**
   * The lower end of a bar. No metric is negative, and a logarithmic axis has no zero: there the
   * bar ends below all marks.
   */
  private double low(Statistic value, boolean log, boolean horizontal) {
    if (value.margin().isEmpty()) {
      return value.mean();
    }
    double floor = log ? summary(horizontal).getMin() / 2 : Math.min(0, value.mean());
    return Math.max(floor, value.low());
  }

  /** Marks of a single round have no error bar, so they look different. */
  private static final class HollowSingles extends XYErrorRenderer {
    @Serial private static final long serialVersionUID = 1L;

    private final transient List<List<Boolean>> filled;

    HollowSingles(List<List<Boolean>> filled) {
      this.filled = filled;
    }

    @Override
    public Paint getItemFillPaint(int series, int item) {
      return filled.get(series).get(item) ? getSeriesPaint(series) : Color.WHITE;
    }
  }

  /** Bars in groups, with error bars for the confidence intervals. */
  String bars() {
    DefaultStatisticalCategoryDataset data = new DefaultStatisticalCategoryDataset();
    StatisticalBarRenderer renderer = new StatisticalBarRenderer();
    renderer.setBarPainter(new StandardBarPainter());
    renderer.setShadowVisible(false);
    renderer.setItemMargin(MARGIN);
    renderer.setErrorIndicatorPaint(Color.BLACK);
    int order = 0;
    for (Line line : lines) {
      for (Mark mark : line.marks) {
        @Nullable Double margin =
            mark.y.margin().isEmpty() ? null : Double.valueOf(mark.y.margin().getAsDouble());
        data.add(Double.valueOf(mark.y.mean()), margin, line.name, mark.group);
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
      values.setRange(lower, Math.pow(10, Math.ceil(Math.log10(highest()))));
    }
    CategoryPlot plot = new CategoryPlot(data, groups, values, renderer);
    plot.setRangeGridlinePaint(Svg.GRID);
    return Svg.draw(id, title, plot, BARS_HEIGHT);
  }

  private ValueAxis axis(String label, boolean log, boolean horizontal) {
    if (log) {
      return Svg.logAxis(label, isWide(horizontal) ? 10 : 2);
    }
    ValueAxis axis = Svg.axis(label, !horizontal);
    if (horizontal && axis instanceof NumberAxis numbers) {
      // Otherwise marks at zero lie on the frame, which hides their error bars.
      numbers.setAutoRangeStickyZero(false);
    }
    return axis;
  }

  /** Whether powers of two would give too many ticks. */
  private boolean isWide(boolean horizontal) {
    DoubleSummaryStatistics all = summary(horizontal);
    return all.getMax() / all.getMin() > MOST_FOR_POWERS_OF_TWO;
  }

  private double highest() {
    return lines.stream()
        .flatMap(line -> line.marks.stream())
        .mapToDouble(mark -> mark.y.high())
        .max()
        .orElseThrow();
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
