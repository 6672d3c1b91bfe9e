package org.mortydb.experiments.figure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.runs.PointRecord;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A point as its records have it, one for each round. */
public final class Measured {
  private final Map<String, String> coordinates;
  private final List<ObjectNode> records = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  private Measured(Map<String, String> coordinates) {
    this.coordinates = Collections.unmodifiableMap(coordinates);
  }

  /** Puts the records of an experiment together by their points, in the order they come in. */
  static List<Measured> of(String experiment, List<ObjectNode> records) {
    Map<Map<String, String>, Measured> points = new LinkedHashMap<>();
    for (ObjectNode record : records) {
      if (record.path(PointRecord.EXPERIMENT).asString("").equals(experiment)) {
        Map<String, String> coordinates = coordinates(record.path(PointRecord.POINT));
        points.computeIfAbsent(coordinates, Measured::new).add(record);
      }
    }
    return List.copyOf(points.values());
  }

  private static Map<String, String> coordinates(JsonNode point) {
    Map<String, String> coordinates = new LinkedHashMap<>();
    point
        .properties()
        .forEach(
            entry ->
                coordinates.put(entry.getKey(), Coordinates.text(entry.getValue().asString())));
    return coordinates;
  }

  private void add(ObjectNode record) {
    if (PointRecord.isMeasured(record)) {
      records.add(record);
    } else {
      failures.add(record.path(PointRecord.FAILURE).asString(""));
    }
  }

  /** What tells it from other points, by name. */
  public Map<String, String> coordinates() {
    return coordinates;
  }

  /** The value of a coordinate; empty text when it has none of that name. */
  public String coordinate(String name) {
    return coordinates.getOrDefault(name, "");
  }

  /** The system's name. */
  public String system() {
    return coordinate(Point.SYSTEM);
  }

  /** The coordinates but for one, which tell what is to be compared along that one. */
  Map<String, String> without(String name) {
    Map<String, String> rest = new LinkedHashMap<>(coordinates);
    rest.remove(name);
    return rest;
  }

  /** A metric over all rounds; empty when no record has it. */
  public Optional<Statistic> metric(Metric metric) {
    List<Double> values = new ArrayList<>();
    records.forEach(record -> metric.in(record).ifPresent(values::add));
    return values.isEmpty() ? Optional.empty() : Optional.of(Statistic.of(values));
  }

  /** The records of rounds that ran to their end. */
  public List<ObjectNode> records() {
    return Collections.unmodifiableList(records);
  }

  /** Why rounds did not. */
  public List<String> failures() {
    return Collections.unmodifiableList(failures);
  }

  /** In how many rounds a check found a violation. */
  public long violations() {
    return records.stream().filter(PointRecord::isViolated).count();
  }

  /** In how many rounds the history was checked. */
  public long checked() {
    return records.stream().filter(record -> record.path("serializable").isBoolean()).count();
  }

  /** In how many rounds the workload's conditions were checked. */
  public long conditionsChecked() {
    return records.stream().filter(record -> record.path("consistent").isBoolean()).count();
  }

  /** The verdict in a few letters. */
  public String verdict() {
    if (records.isEmpty()) {
      return failures.isEmpty() ? "not measured" : "FAILED";
    }
    if (violations() > 0) {
      return "VIOLATED";
    }
    String text =
        checked() < records.size()
            ? "not checked"
            : conditionsChecked() == records.size() ? "serializable, consistent" : "serializable";
    return failures.isEmpty() ? text : text + "; a round FAILED";
  }
}
