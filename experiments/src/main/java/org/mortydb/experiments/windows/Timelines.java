package org.mortydb.experiments.windows;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.mortydb.experiments.figure.PointTable;
import org.mortydb.experiments.windows.WindowsRecord.Bar;
import org.mortydb.experiments.windows.WindowsRecord.SystemWindows;
import org.mortydb.experiments.windows.WindowsRecord.Track;

/**
 * Draws the windows of a hot key as an SVG, one system above another on one time axis. The colours
 * are those of Okabe and Ito, which colour-blind readers can distinguish, and differ in lightness.
 */
public final class Timelines {
  private static final int WIDTH = 1_000;
  private static final int LEFT = 24;
  private static final int RIGHT = 24;
  private static final int SPAN = WIDTH - LEFT - RIGHT;
  private static final int TOP = 84;
  private static final int TRACK_HEAD = 44;
  private static final int STRIP = 20;
  private static final int STRIP_GAP = 6;
  private static final int LANES_HEAD = 20;
  private static final double ROW = 9;
  private static final int LANES = 110;
  private static final double LEAST_LANE = 1.5;
  private static final double MOST_LANE = 5;
  private static final int TRACK_GAP = 22;
  private static final int AXIS = 44;
  private static final double LEAST_WIDTH = 2;
  private static final int MOST_TICKS = 10;
  private static final double MICROS_PER_MILLI = 1_000;

  private static final String SERIALIZATION = "#003F66";
  private static final String SERIALIZATION_NEXT = "#0072B2";
  private static final String VALIDITY = "#A9D6F2";
  private static final String ABORTED = "#E69F00";
  private static final String STALE = "#999999";
  private static final String REEXECUTION = "#D55E00";
  private static final String GRID = "#DDDDDD";
  private static final String TEXT = "#222222";
  private static final String NOTE = "fill=\"#555555\"";

  private final WindowsRecord record;
  private final StringBuilder out = new StringBuilder();

  private Timelines(WindowsRecord record) {
    this.record = record;
  }

  /** The picture as a self-contained SVG element. */
  public static String svg(WindowsRecord record) {
    return new Timelines(record).draw();
  }

  private String draw() {
    List<Track> tracks = record.timeline().tracks();
    double height = TOP + AXIS;
    for (Track track : tracks) {
      height += trackHeight(track);
    }
    String title = "Serialization and validity windows on one hot key (" + record.key() + ")";
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\""
            + " height=\"%.0f\" role=\"img\" aria-label=\"%s\" font-family=\"Helvetica, Arial,"
            + " sans-serif\" font-size=\"12\" fill=\"%s\">%n",
        WIDTH, height, WIDTH, height, PointTable.escaped(title), TEXT);
    add("<rect width=\"%d\" height=\"%.0f\" fill=\"#FFFFFF\"/>%n", WIDTH, height);
    add(
        "<clipPath id=\"windows-span\"><rect x=\"%d\" y=\"0\" width=\"%d\""
            + " height=\"%.0f\"/></clipPath>%n",
        LEFT, SPAN, height);
    text(LEFT, 24, "font-size=\"16\" font-weight=\"bold\"", title);
    legend();
    grid(TOP, height - AXIS);
    double y = TOP;
    for (Track track : tracks) {
      y = track(track, y);
    }
    axis(height - AXIS);
    return out.append("</svg>\n").toString();
  }

  private void add(String format, Object... values) {
    out.append(String.format(Locale.ROOT, format, values));
  }

  private void text(double x, double y, String attributes, String text) {
    add("<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>%n", x, y, attributes, PointTable.escaped(text));
  }

  private void box(double x, double y, double width, double height, String colour) {
    add(
        "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>%n",
        x, y, width, height, colour);
  }

  private double at(double micros) {
    return LEFT + micros / record.timeline().lengthMicros() * SPAN;
  }

  // ---- legend and axis ----------------------------------------------------------------------

  private void legend() {
    double y = 40;
    box(LEFT, y, 22, 10, SERIALIZATION);
    text(LEFT + 28, y + 9, "", "serialization window: from read to own write visible");
    box(LEFT + 400, y, 22, 10, VALIDITY);
    text(LEFT + 428, y + 9, "", "rest of the validity window: until the outcome is known");
    box(LEFT + 750, y, 22, 10, ABORTED);
    text(LEFT + 778, y + 9, "", "aborted attempt");
    y += 20;
    line(LEFT, y + 5, LEFT + 22, y + 5, STALE, 1.5);
    text(LEFT + 28, y + 9, "", "holds a version that becomes stale");
    mark(LEFT + 411, y + 5, 8);
    text(LEFT + 428, y + 9, "", "re-execution with the new version");
  }

  private void line(double x1, double y1, double x2, double y2, String colour, double width) {
    add(
        "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\""
            + " stroke-width=\"%.1f\"/>%n",
        x1, y1, x2, y2, colour, width);
  }

  /** A re-execution: an upright wedge, with a distinct form. */
  private void mark(double x, double y, double height) {
    double half = height / 2;
    add(
        "<path d=\"M%.2f %.2fL%.2f %.2fL%.2f %.2fZ\" fill=\"%s\"/>%n",
        x - half, y - half, x + half, y, x - half, y + half, REEXECUTION);
  }

  private double tickMicros() {
    double tick = 1;
    double[] steps = {2, 2.5, 2};
    for (int i = 0; record.timeline().lengthMicros() / tick > MOST_TICKS; i++) {
      tick *= steps[i % steps.length];
    }
    return tick;
  }

  private void grid(double top, double bottom) {
    for (double t = 0; t <= record.timeline().lengthMicros(); t += tickMicros()) {
      line(at(t), top, at(t), bottom, GRID, 1);
    }
  }

  private void axis(double y) {
    line(LEFT, y, LEFT + SPAN, y, TEXT, 1);
    for (double t = 0; t <= record.timeline().lengthMicros(); t += tickMicros()) {
      line(at(t), y, at(t), y + 4, TEXT, 1);
      String millis = String.format(Locale.ROOT, "%.3f", t / MICROS_PER_MILLI);
      text(
          at(t),
          y + 17,
          "text-anchor=\"middle\"",
          millis.contains(".") ? millis.replaceAll("\\.?0+$", "") : millis);
    }
    text(LEFT + SPAN / 2.0, y + 35, "text-anchor=\"middle\"", "virtual time, ms");
  }

  // ---- tracks -------------------------------------------------------------------------------

  /** Aborted attempts in as few lanes as possible; each takes the first free lane. */
  private static List<List<List<Long>>> lanes(Track track) {
    List<List<List<Long>>> lanes = new ArrayList<>();
    for (List<Long> attempt : track.aborted()) {
      List<List<Long>> free = null;
      for (List<List<Long>> lane : lanes) {
        if (lane.getLast().getLast() <= attempt.getFirst()) {
          free = lane;
          break;
        }
      }
      if (free == null) {
        free = new ArrayList<>();
        lanes.add(free);
      }
      free.add(attempt);
    }
    return lanes;
  }

  private static double laneHeight(int lanes) {
    return Math.clamp((double) LANES / Math.max(1, lanes), LEAST_LANE, MOST_LANE);
  }

  private static double trackHeight(Track track) {
    int lanes = lanes(track).size();
    double aborted = lanes == 0 ? 0 : LANES_HEAD + lanes * laneHeight(lanes);
    return TRACK_HEAD + STRIP + ROW * track.updates().size() + aborted + TRACK_GAP;
  }

  private double track(Track track, double top) {
    text(LEFT, top + 17, "font-size=\"14\" font-weight=\"bold\"", headline(track));
    text(LEFT, top + 35, NOTE, "Serialization windows on one line, then one row for each update:");
    double y = top + TRACK_HEAD;
    add("<g clip-path=\"url(#windows-span)\">%n");
    strip(track, y);
    y += STRIP;
    for (Bar bar : track.updates()) {
      update(bar, y);
      y += ROW;
    }
    add("</g>%n");
    List<List<List<Long>>> lanes = lanes(track);
    if (!lanes.isEmpty()) {
      text(
          LEFT,
          y + 14,
          NOTE,
          String.format(
              Locale.ROOT, "%,d attempts that read the key and aborted:", track.aborted().size()));
      y += LANES_HEAD;
      add("<g clip-path=\"url(#windows-span)\">%n");
      double height = laneHeight(lanes.size());
      for (List<List<Long>> lane : lanes) {
        for (List<Long> attempt : lane) {
          double from = at(attempt.getFirst());
          double width = Math.max(1, at(attempt.getLast()) - from - 0.6);
          box(from, y, width, height * 0.8, ABORTED);
        }
        y += height;
      }
      add("</g>%n");
    }
    return top + trackHeight(track);
  }

  private String headline(Track track) {
    long length = record.timeline().lengthMicros();
    long committed =
        track.updates().stream().filter(bar -> bar.end() >= 0 && bar.end() < length).count();
    String measured = "";
    for (SystemWindows system : record.systems()) {
      if (system.system().equals(track.system()) && system.hot().updates() > 0) {
        measured =
            String.format(
                Locale.ROOT,
                "; median windows: serialization %,.2f ms, validity %,.0f ms",
                system.hot().serialization().p50() / MICROS_PER_MILLI,
                system.hot().validity().p50() / MICROS_PER_MILLI);
      }
    }
    return String.format(
        Locale.ROOT,
        "%s: %d updates of the key commit in %.1f s%s",
        track.system(),
        committed,
        length / 1e6,
        measured);
  }

  private void strip(Track track, double y) {
    add(
        "<rect x=\"%d\" y=\"%.2f\" width=\"%d\" height=\"%d\" fill=\"#F4F4F4\" stroke=\"%s\"/>%n",
        LEFT, y, SPAN, STRIP - STRIP_GAP, GRID);
    int turn = 0;
    for (Bar bar : track.updates()) {
      String colour = turn++ % 2 == 0 ? SERIALIZATION : SERIALIZATION_NEXT;
      window(bar.read(), bar.visible(), y, STRIP - STRIP_GAP, colour);
    }
  }

  private void window(long from, long to, double y, double height, String colour) {
    box(at(from), y, Math.max(LEAST_WIDTH, at(to) - at(from)), height, colour);
  }

  private void update(Bar bar, double y) {
    double height = ROW * 0.8;
    double middle = y + height / 2;
    if (bar.first() < bar.read()) {
      line(at(bar.first()), middle, at(bar.read()), middle, STALE, 1.5);
    }
    window(bar.read(), Math.max(bar.end(), bar.visible()), y, height, VALIDITY);
    window(bar.read(), bar.visible(), y, height, SERIALIZATION);
    for (long micros : bar.reexecutions()) {
      mark(at(micros), middle, height);
    }
  }
}
