package org.mortydb.experiments.chain;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.mortydb.experiments.chain.ChainRecord.EventRow;
import org.mortydb.experiments.chain.ChainRecord.StepRow;
import org.mortydb.experiments.figure.PointTable;

/**
 * Draws the detailed steps of a chain as an SVG: time to the right, the regions below each other,
 * and a line that follows the chain, in the colour of the part that takes the time. The colours are
 * those of Okabe and Ito, which colour-blind readers can distinguish.
 */
public final class ChainPicture {
  private static final int WIDTH = 1_000;
  private static final int LEFT = 110;
  private static final int RIGHT = 24;
  private static final int SPAN = WIDTH - LEFT - RIGHT;
  private static final int TOP = 90;
  private static final int LANE = 60;
  private static final int AXIS = 40;
  private static final int LEGEND_COLUMN = 170;
  private static final int LEGEND_COLUMNS = 5;
  private static final int TICKS = 8;
  private static final String GRID = "#DDDDDD";
  private static final String TEXT = "#222222";

  private static final Map<Part, String> COLOURS =
      new EnumMap<>(
          Map.of(
              Part.CROSSING, "#0072B2",
              Part.LOCAL, "#56B4E9",
              Part.PROCESSOR, "#999999",
              Part.REVOTE, "#E69F00",
              Part.ABORTED, "#D55E00",
              Part.OUTCOME, "#F0E442",
              Part.OLDER, "#8C6D00",
              Part.OTHER_KEY, "#009E73",
              Part.LATE, "#CC79A7",
              Part.REST, "#000000"));

  private final ChainRecord record;
  private final List<String> regions;
  private final StringBuilder out = new StringBuilder();
  private double beginMicros;
  private double lengthMicros;

  private ChainPicture(ChainRecord record, List<String> regions) {
    this.record = record;
    this.regions = regions;
  }

  /**
   * The picture as a self-contained SVG element.
   *
   * @param regions the names of the regions
   */
  public static String svg(ChainRecord record, List<String> regions) {
    return new ChainPicture(record, regions).draw();
  }

  private String draw() {
    List<StepRow> steps = record.steps().stream().filter(step -> step.events() != null).toList();
    if (!steps.isEmpty()) {
      beginMicros = steps.getFirst().at();
      lengthMicros = steps.getLast().at() + steps.getLast().micros() - beginMicros;
    }
    lengthMicros = Math.max(1, lengthMicros);
    int height = TOP + regions.size() * LANE + AXIS;
    String title = "The chain of key " + record.key() + ", " + steps.size() + " steps";
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
            + " height=\"%d\" role=\"img\" aria-label=\"%s\" font-family=\"Helvetica, Arial,"
            + " sans-serif\" font-size=\"12\" fill=\"%s\">%n",
        WIDTH, height, WIDTH, height, PointTable.escaped(title), TEXT);
    add("<rect width=\"%d\" height=\"%d\" fill=\"#FFFFFF\"/>%n", WIDTH, height);
    text(24, 24, "font-size=\"16\" font-weight=\"bold\"", title);
    legend();
    axis(height);
    for (StepRow step : steps) {
      step(step);
    }
    return out.append("</svg>\n").toString();
  }

  private void add(String format, Object... values) {
    out.append(String.format(Locale.ROOT, format, values));
  }

  private void text(double x, double y, String attributes, String text) {
    add("<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>%n", x, y, attributes, PointTable.escaped(text));
  }

  private void line(double x1, double y1, double x2, double y2, String colour, double width) {
    add(
        "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\""
            + " stroke-width=\"%.1f\" stroke-linecap=\"round\"/>%n",
        x1, y1, x2, y2, colour, width);
  }

  private double x(double micros) {
    return LEFT + (micros - beginMicros) / lengthMicros * SPAN;
  }

  private static double y(int region) {
    return TOP + (region + 0.5) * LANE;
  }

  private void legend() {
    Part[] parts = Part.values();
    for (int i = 0; i < parts.length; i++) {
      double x = 24 + i % LEGEND_COLUMNS * LEGEND_COLUMN;
      int row = i / LEGEND_COLUMNS;
      double y = 46 + 18.0 * row;
      line(x, y, x + 20, y, colour(parts[i].label()), 5);
      text(x + 28, y + 4, "", parts[i].label());
    }
  }

  private static String colour(String label) {
    for (Map.Entry<Part, String> entry : COLOURS.entrySet()) {
      if (entry.getKey().label().equals(label)) {
        return entry.getValue();
      }
    }
    return TEXT;
  }

  private void axis(int height) {
    for (int region = 0; region < regions.size(); region++) {
      line(LEFT, y(region), LEFT + SPAN, y(region), GRID, 1);
      text(24, y(region) + 4, "", regions.get(region));
    }
    double millis = lengthMicros / 1e3;
    double tick = Math.pow(10, Math.floor(Math.log10(millis / TICKS)));
    while (millis / tick > TICKS) {
      tick *= 2;
    }
    for (double at = 0; at <= millis; at += tick) {
      double x = x(beginMicros + at * 1e3);
      line(x, TOP, x, height - AXIS, GRID, 1);
      text(
          x,
          height - AXIS + 18,
          "text-anchor=\"middle\"",
          String.format(Locale.ROOT, "%.4g ms", at).replaceAll("\\.?0+ ", " "));
    }
  }

  /** A line through the events, and a dot where the writer's value leaves. */
  private void step(StepRow step) {
    List<EventRow> events = step.events();
    if (events == null || events.isEmpty()) {
      return;
    }
    double x = x(step.at());
    double y = y(step.from());
    for (EventRow event : events) {
      double nextX = x(step.at() + event.at());
      double nextY = y(event.region());
      line(x, y, nextX, nextY, colour(event.part()), 3);
      x = nextX;
      y = nextY;
    }
    add(
        "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.5\" fill=\"%s\"><title>%s</title></circle>%n",
        x, y, TEXT, PointTable.escaped(step.writer()));
  }
}
