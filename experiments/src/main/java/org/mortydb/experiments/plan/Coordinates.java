package org.mortydb.experiments.plan;

import java.util.LinkedHashMap;
import java.util.Map;

/** Compares coordinates of points with values in definitions and texts. */
public final class Coordinates {
  private Coordinates() {}

  /** The wanted value of a coordinate that a point must not have. */
  private static final String NONE = "none";

  /** Whether all wanted coordinates have their values, or are absent where "none" is wanted. */
  public static boolean match(Map<String, ?> coordinates, Map<String, String> wanted) {
    return wanted.entrySet().stream()
        .allMatch(
            want -> {
              Object value = coordinates.get(want.getKey());
              return value == null
                  ? want.getValue().equals(NONE)
                  : text(value).equals(normal(want.getValue()));
            });
  }

  /** All values as texts. */
  public static Map<String, String> texts(Map<String, ?> coordinates) {
    Map<String, String> texts = new LinkedHashMap<>();
    coordinates.forEach((name, value) -> texts.put(name, text(value)));
    return texts;
  }

  /** A value as text, without zero decimals. */
  public static String text(Object value) {
    return normal(value.toString());
  }

  private static String normal(String text) {
    return text.matches("-?\\d+\\.0+") ? text.substring(0, text.indexOf('.')) : text;
  }
}
