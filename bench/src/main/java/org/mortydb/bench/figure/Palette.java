package org.mortydb.bench.figure;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Polygon;
import java.awt.Shape;
import java.awt.Stroke;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Rectangle2D;
import java.util.List;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;

/**
 * The colours and markers of lines. The colours are those of Okabe and Ito, which colour-blind
 * readers can distinguish. A system has the same colour and marker in all figures.
 */
public final class Palette {
  /** The systems that are not variants of another one. */
  private static final List<String> SYSTEMS =
      TransactionSystems.all().stream()
          .filter(system -> system.calibratedLike() == null)
          .map(TransactionSystem::name)
          .toList();

  private static final List<Color> COLOURS =
      List.of(
          new Color(0x0072B2),
          new Color(0xE69F00),
          new Color(0x009E73),
          new Color(0xD55E00),
          new Color(0xCC79A7),
          new Color(0x56B4E9),
          new Color(0x444444),
          new Color(0x8C6D00));

  private static final List<Shape> MARKERS =
      List.of(
          new Ellipse2D.Double(-4, -4, 8, 8),
          new Rectangle2D.Double(-3.5, -3.5, 7, 7),
          polygon(0, -5, 5, 4, -5, 4),
          polygon(0, -5, 5, 0, 0, 5, -5, 0),
          polygon(0, 5, 5, -4, -5, -4),
          polygon(-5, -2, 0, -5, 5, -2, 3, 4, -3, 4),
          polygon(-2, -5, 2, -5, 2, 5, -2, 5),
          polygon(-5, -2, 5, -2, 5, 2, -5, 2));

  private Palette() {}

  private static Polygon polygon(int... points) {
    Polygon polygon = new Polygon();
    for (int i = 0; i < points.length; i += 2) {
      polygon.addPoint(points[i], points[i + 1]);
    }
    return polygon;
  }

  /** The place of a name: fixed for a system, otherwise the order of appearance. */
  public static int place(String name, int order) {
    int system = SYSTEMS.indexOf(name);
    return (system >= 0 ? system : order) % COLOURS.size();
  }

  /** The colour of a place. */
  public static Color colour(int place) {
    return COLOURS.get(place);
  }

  /** The marker of a place. */
  public static Shape marker(int place) {
    return MARKERS.get(place);
  }

  /** The stroke of lines between markers. */
  public static Stroke line() {
    return new BasicStroke(1.8f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
  }
}
