package org.mortydb.experiments.runs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Point;

/** Names the points of an experiment by the coordinates that differ. */
public final class PointNames {
  private final Set<String> varying = new LinkedHashSet<>();

  /** Creates the names of some points. */
  public PointNames(List<Point> points) {
    Map<String, Set<String>> values = new LinkedHashMap<>();
    Set<String> everywhere = new LinkedHashSet<>();
    for (Point point : points) {
      Map<String, Object> coordinates = point.coordinates();
      everywhere.addAll(coordinates.keySet());
      coordinates.forEach(
          (name, value) ->
              values
                  .computeIfAbsent(name, any -> new LinkedHashSet<>())
                  .add(Coordinates.text(value)));
    }
    for (String name : everywhere) {
      boolean missing = points.stream().anyMatch(one -> !one.coordinates().containsKey(name));
      if (missing || values.getOrDefault(name, Set.of()).size() > 1) {
        varying.add(name);
      }
    }
  }

  /** A point's name, such as {@code morty, retwis, zipf 0.9}. */
  public String of(Point point) {
    List<String> parts = new ArrayList<>();
    parts.add(point.system().name());
    String label = point.label();
    parts.add(label == null ? point.workload().name() : label);
    point
        .coordinates()
        .forEach(
            (name, value) -> {
              boolean said =
                  name.equals(Point.SYSTEM)
                      || name.equals(Point.WORKLOAD)
                      || name.equals(Point.LABEL);
              if (varying.contains(name) && !said && label == null) {
                parts.add(name + " " + Coordinates.text(value));
              }
            });
    return String.join(", ", parts);
  }
}
