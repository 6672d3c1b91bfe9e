package org.mortydb.experiments.figure;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.io.StringWriter;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.apache.batik.svggen.SVGIDGenerator;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.CategoryLabelPositions;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.renderer.category.StatisticalBarRenderer;
import org.jfree.chart.renderer.xy.XYErrorRenderer;
import org.jfree.chart.text.TextUtils;
import org.jfree.chart.title.LegendTitle;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.data.statistics.DefaultStatisticalCategoryDataset;
import org.jfree.data.xy.XYIntervalSeries;
import org.jfree.data.xy.XYIntervalSeriesCollection;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

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

  private static final int WIDTH = 640;
  private static final int HEIGHT = 380;
  private static final int BARS_HEIGHT = 440;
  private static final Color GRID = new Color(0xD8D8D8);
  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 14);
  private static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
  private static final double MARGIN = 0.05;
  private static final double MOST_FOR_POWERS_OF_TWO = 512;

  static {
    // Otherwise rotated text becomes outlines.
    TextUtils.setUseDrawRotatedStringWorkaround(false);
  }

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
    plot.setDomainGridlinePaint(GRID);
    plot.setRangeGridlinePaint(GRID);
    return svg(plot, HEIGHT);
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
    groups.setTickLabelFont(TEXT);
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
    plot.setRangeGridlinePaint(GRID);
    return svg(plot, BARS_HEIGHT);
  }

  private ValueAxis axis(String label, boolean log, boolean horizontal) {
    DecimalFormat format =
        new DecimalFormat("#,##0.###", DecimalFormatSymbols.getInstance(Locale.ROOT));
    ValueAxis axis;
    if (log) {
      LogAxis logAxis = new LogAxis(label);
      logAxis.setNumberFormatOverride(format);
      logAxis.setBase(isWide(horizontal) ? 10 : 2);
      logAxis.setTickUnit(new NumberTickUnit(1));
      axis = logAxis;
    } else {
      NumberAxis numberAxis = new NumberAxis(label);
      numberAxis.setNumberFormatOverride(format);
      numberAxis.setAutoRangeIncludesZero(!horizontal);
      axis = numberAxis;
    }
    axis.setLabelFont(TEXT);
    axis.setTickLabelFont(TEXT);
    axis.setUpperMargin(MARGIN);
    return axis;
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

  private String svg(Plot plot, int height) {
    try {
      plot.setBackgroundPaint(Color.WHITE);
      plot.setOutlinePaint(Color.GRAY);
      JFreeChart chart = new JFreeChart(title, TITLE, plot, true);
      chart.setBackgroundPaint(Color.WHITE);
      chart.setPadding(new RectangleInsets(6, 6, 6, 12));
      LegendTitle legend = chart.getLegend();
      legend.setFrame(BlockBorder.NONE);
      legend.setItemFont(TEXT);
      Document document =
          DocumentBuilderFactory.newDefaultInstance()
              .newDocumentBuilder()
              .getDOMImplementation()
              .createDocument("http://www.w3.org/2000/svg", "svg", null);
      SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
      context.setComment(null);
      context.setIDGenerator(new Ids(id));
      SVGGraphics2D graphics = new SVGGraphics2D(context, false);
      graphics.setSVGCanvasSize(new Dimension(WIDTH, height));
      chart.draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, height));
      Element root = graphics.getRoot();
      root.setAttribute("viewBox", "0 0 " + WIDTH + " " + height);
      root.setAttribute("role", "img");
      root.setAttribute("aria-label", title);
      StringWriter text = new StringWriter();
      graphics.stream(root, text, true, false);
      String svg = text.toString();
      return svg.substring(svg.indexOf("<svg")).replace(" id=\"genericDefs\"", "");
    } catch (IOException
        | ParserConfigurationException
        | RuntimeException
        | LinkageError
        | InternalError e) {
      throw new FigureFailedException(
          "cannot draw '%s': %s. Drawing needs the system's font libraries; on Debian run: apt install fontconfig fonts-dejavu-core libfreetype6"
              .formatted(title, e),
          e);
    }
  }

  /** Creates ids with the picture's prefix. */
  private static final class Ids extends SVGIDGenerator {
    private final String begin;

    Ids(String begin) {
      this.begin = begin.replaceAll("[^A-Za-z0-9-]", "-") + "-";
    }

    @Override
    public String generateID(String prefix) {
      return begin + super.generateID(prefix);
    }
  }
}
