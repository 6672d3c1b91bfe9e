package org.mortydb.experiments.figure;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.runs.RecordFolder;
import tools.jackson.databind.node.ObjectNode;

/** The records of some experiments. */
public final class Results {
  private final List<ObjectNode> records;

  /** The records of a list. */
  public Results(List<ObjectNode> records) {
    this.records = List.copyOf(records);
  }

  /**
   * The records in folders and all their subfolders.
   *
   * @throws java.io.UncheckedIOException if they cannot be read
   */
  public static Results in(List<Path> folders) {
    List<ObjectNode> all = new ArrayList<>();
    for (Path folder : folders) {
      all.addAll(RecordFolder.readAll(folder));
    }
    return new Results(all);
  }

  /** All records. */
  public List<ObjectNode> records() {
    return records;
  }

  /** The points of an experiment, in the order of their records. */
  public List<Measured> of(String experiment) {
    return Measured.of(experiment, records);
  }

  /** The points of an experiment, in the order of its definition; others come last. */
  public List<Measured> of(Definition definition) {
    List<Map<String, String>> order =
        definition.points().stream().map(point -> Coordinates.texts(point.coordinates())).toList();
    return of(definition.name()).stream()
        .sorted(
            Comparator.comparingInt(
                point -> {
                  int place = order.indexOf(point.coordinates());
                  return place < 0 ? order.size() : place;
                }))
        .toList();
  }

  /** The points of an experiment with given coordinates. */
  public List<Measured> of(Definition definition, Map<String, String> where) {
    return of(definition).stream()
        .filter(point -> Coordinates.match(point.coordinates(), where))
        .toList();
  }

  /**
   * The ratio of a metric of two points.
   *
   * @return empty if a value is missing or the divisor is 0
   */
  public static Optional<Statistic> ratio(RunMetric metric, Measured of, Measured to) {
    return of.samples(metric)
        .flatMap(dividend -> to.samples(metric).flatMap(dividend::over))
        .filter(ratio -> Double.isFinite(ratio.mean()));
  }
}
