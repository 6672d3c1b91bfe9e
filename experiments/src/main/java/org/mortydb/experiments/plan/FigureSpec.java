package org.mortydb.experiments.plan;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A figure of an experiment.
 *
 * @param name its name within the experiment, and of its file
 * @param title its title
 * @param x the horizontal axis: a coordinate or a metric
 * @param y the vertical axis, a metric
 * @param along the coordinate that joins the points of a series, if x is a metric
 * @param series the coordinate with a line for each value
 * @param panel the coordinate with a picture for each value; null for one picture
 * @param where the required values of coordinates; empty for all points
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

  static FigureSpec of(DefinitionSection section, List<String> coordinates) {
    String name = section.text("name");
    if (!name.matches("[a-z0-9-]+")) {
      throw section.wrong(
          "name", "must have only small letters, digits and '-', not '" + name + "'");
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
        throw section.wrong(
            key, "'" + value + "' is not a coordinate; the coordinates are " + coordinates);
      }
    }
    return figure;
  }

  private static Map<String, String> where(DefinitionSection section, List<String> coordinates) {
    JsonNode node = section.get("where");
    if (node == null) {
      return Map.of();
    }
    DefinitionSection where = DefinitionSection.of(section.place("where"), node);
    Map<String, String> wanted = new LinkedHashMap<>();
    for (String key : where.values().keySet()) {
      if (!coordinates.contains(key)) {
        throw where.wrong(key, "is not a coordinate; the coordinates are " + coordinates);
      }
      wanted.put(key, where.text(key));
    }
    return wanted;
  }
}
