package org.mortydb.experiments.figure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.mortydb.experiments.figure.Samples.Sample;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.runs.PointRecord;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The records of a point, one for each round. */
public final class Measured {
  private final Map<String, String> coordinates;
  private final List<ObjectNode> records = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  private Measured(Map<String, String> coordinates) {
    this.coordinates = Collections.unmodifiableMap(coordinates);
  }

  /** Groups the records of an experiment by point, in the order of the records. */
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

  /** The coordinates by name. They identify the point. */
  public Map<String, String> coordinates() {
    return coordinates;
  }

  /** The value of a coordinate; empty if there is none. */
  public String coordinate(String name) {
    return coordinates.getOrDefault(name, "");
  }

  /** The system's name. */
  public String system() {
    return coordinate(Point.SYSTEM);
  }

  /** Whether transactions were due at given times, so that latencies include all waits. */
  public boolean isOpenLoop() {
    return coordinates.containsKey(Point.RATE);
  }

  /** All coordinates except one. */
  Map<String, String> without(String name) {
    Map<String, String> rest = new LinkedHashMap<>(coordinates);
    rest.remove(name);
    return rest;
  }

  /** A metric over all rounds; empty if no record has it. */
  public Optional<Statistic> metric(RunMetric metric) {
    return samples(metric).map(Samples::statistic);
  }

  /** The values of a metric; empty if no record has it. */
  public Optional<Samples> samples(RunMetric metric) {
    List<Sample> values = new ArrayList<>();
    for (ObjectNode record : records) {
      int round = record.path(PointRecord.ROUND).asInt(0);
      metric.in(record).ifPresent(value -> values.add(new Sample(round, value)));
    }
    return values.isEmpty() ? Optional.empty() : Optional.of(new Samples(values));
  }

  /** The records of successful rounds. */
  public List<ObjectNode> records() {
    return Collections.unmodifiableList(records);
  }

  /** The reasons of failed rounds. */
  public List<String> failures() {
    return Collections.unmodifiableList(failures);
  }

  /** The number of rounds in which a check found a violation. */
  public long violations() {
    return records.stream().filter(PointRecord::isViolated).count();
  }

  /** The number of rounds with a checked history. */
  public long checked() {
    return records.stream()
        .filter(record -> hasVerdict(record) || record.path("check").isObject())
        .count();
  }

  /** Whether the check says that the history is serializable, or that it should be and is not. */
  private static boolean hasVerdict(ObjectNode record) {
    return record.path("serializable").isBoolean();
  }

  /** The number of rounds with checked conditions of the workload. */
  public long conditionsChecked() {
    return records.stream().filter(record -> record.path("consistent").isBoolean()).count();
  }

  /** The verdict in a few words. */
  public String verdict() {
    if (records.isEmpty()) {
      return failures.isEmpty() ? "not measured" : "FAILED";
    }
    if (violations() > 0) {
      return "VIOLATED";
    }
    String text = "not checked";
    if (checked() == records.size()) {
      // A checked history without this verdict is of a system that promises no more.
      boolean all = records.stream().allMatch(Measured::hasVerdict);
      text = all ? "serializable" : "snapshot isolation";
      text += conditionsChecked() == records.size() ? ", consistent" : "";
    }
    return failures.isEmpty() ? text : text + "; a round FAILED";
  }
}
