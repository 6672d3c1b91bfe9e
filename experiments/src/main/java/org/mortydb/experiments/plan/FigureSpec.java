package org.mortydb.experiments.plan;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A figure that is wanted of an experiment.
 *
 * @param name names it within the experiment, and its file
 * @param title what it shows
 * @param x what is along the horizontal axis: a coordinate, or a metric
 * @param y what is along the vertical axis, a metric
 * @param along when x is a metric: the coordinate by which the points of a series are joined
 * @param series the coordinate whose values get lines of their own
 * @param panel the coordinate whose values get pictures of their own; null for one picture
 * @param where the values that coordinates must have; empty for all points
 * @param logX whether the horizontal axis is logarithmic
 * @param logY whether the vertical axis is logarithmic
 */
public record FigureSpec(
    String name,
    String title,
    String x,
    String y,
    @Nullable String along,
    String series,
    @Nullable String panel,
    Map<String, String> where,
    boolean logX,
    boolean logY) {

  static FigureSpec of(Section section, List<String> coordinates) {
    String name = section.text("name");
    if (!name.matches("[a-z0-9-]+")) {
      throw section.wrong("name", "must be of small letters, digits and '-', is '" + name + "'");
    }
    FigureSpec figure =
        new FigureSpec(
            name,
            section.text("title"),
            section.text("x"),
            section.text("y"),
            section.optionalText("along"),
            section.oneOf("series", coordinates, Point.SYSTEM),
            section.optionalText("panel"),
            where(section, coordinates),
            section.flag("logX", false),
            section.flag("logY", false));
    section.refuseOthers();
    for (String key : new String[] {"along", "panel"}) {
      String value = section.optionalText(key);
      if (value != null && !coordinates.contains(value)) {
        throw section.wrong(key, "'" + value + "' is no coordinate: " + coordinates);
      }
    }
    return figure;
  }

  private static Map<String, String> where(Section section, List<String> coordinates) {
    JsonNode node = section.get("where");
    if (node == null) {
      return Map.of();
    }
    Section where = Section.of(section.place("where"), node);
    Map<String, String> wanted = new LinkedHashMap<>();
    for (String key : where.values().keySet()) {
      if (!coordinates.contains(key)) {
        throw where.wrong(key, "is no coordinate: " + coordinates);
      }
      wanted.put(key, where.text(key));
    }
    return wanted;
  }
}
