package org.mortydb.bench.figure;

import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.io.Serial;
import java.io.StringWriter;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.apache.batik.svggen.SVGIDGenerator;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.text.TextUtils;
import org.jfree.chart.title.LegendTitle;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.RectangleInsets;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** The common look of figures, and how they are written as SVG. */
public final class Svg {
  /** The width of a figure. */
  public static final int WIDTH = 640;

  /** The colour of lines behind the data. */
  public static final Color GRID = new Color(0xD8D8D8);

  /** The font of labels. */
  public static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);

  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 14);
  private static final double MARGIN = 0.05;

  static {
    // Otherwise rotated text becomes outlines.
    TextUtils.setUseDrawRotatedStringWorkaround(false);
  }

  private Svg() {}

  /** An axis of numbers. */
  public static ValueAxis axis(String label, boolean includesZero) {
    NumberAxis axis = new NumberAxis(label);
    axis.setNumberFormatOverride(format());
    axis.setAutoRangeIncludesZero(includesZero);
    return styled(axis);
  }

  /** A logarithmic axis of numbers. What lies below it, such as zero, is drawn at its lower end. */
  public static ValueAxis logAxis(String label, double base) {
    LogAxis axis = new BoundedLogAxis(label);
    axis.setNumberFormatOverride(format());
    axis.setBase(base);
    axis.setTickUnit(new NumberTickUnit(1));
    return styled(axis);
  }

  /** Otherwise error bars that reach zero would have no coordinates. */
  private static final class BoundedLogAxis extends LogAxis {
    @Serial private static final long serialVersionUID = 1L;

    BoundedLogAxis(String label) {
      super(label);
    }

    @Override
    public double valueToJava2D(double value, Rectangle2D area, RectangleEdge edge) {
      return super.valueToJava2D(Math.max(value, getLowerBound()), area, edge);
    }
  }

  private static DecimalFormat format() {
    return new DecimalFormat("#,##0.###", DecimalFormatSymbols.getInstance(Locale.ROOT));
  }

  private static ValueAxis styled(ValueAxis axis) {
    axis.setLabelFont(TEXT);
    axis.setTickLabelFont(TEXT);
    axis.setUpperMargin(MARGIN);
    return axis;
  }

  /**
   * Draws a plot.
   *
   * @param id the prefix of ids in the picture, so that several fit into one document
   * @param title the title above it
   * @throws FigureFailedException if this machine cannot draw
   */
  public static String draw(String id, String title, Plot plot, int height) {
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
          "cannot draw '%s': %s. Drawing needs the system's font libraries; on Debian run: apt install fontconfig fonts-dejavu-core libfreetype6 libharfbuzz0b"
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
