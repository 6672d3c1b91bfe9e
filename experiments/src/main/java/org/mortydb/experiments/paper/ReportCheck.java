package org.mortydb.experiments.paper;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.mortydb.bench.experiment.GitRepository;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.runs.PointRecord;
import org.mortydb.experiments.runs.Provenance;
import tools.jackson.databind.node.ObjectNode;

/** Examines whether a report is complete, and how old its records are. */
public final class ReportCheck {
  private final RecordCheck check;

  /**
   * @param repository the repository with the commits of the records
   * @param maxAge the highest age of a record: the number of commits between its own and the one
   *     that is checked out, of those that change the code which it has run
   * @throws org.mortydb.cli.FailedException if git fails
   */
  public ReportCheck(GitRepository repository, int maxAge) {
    check = new RecordCheck(repository, maxAge);
  }

  /**
   * What is wrong with a report, in sentences: incomplete places first, then records by experiment
   * and problem, then what mixes records of several commits.
   *
   * @return empty if nothing is
   * @throws org.mortydb.cli.FailedException if git fails
   */
  public List<String> problems(PaperReport report) {
    List<String> problems = new ArrayList<>();
    Set<ObjectNode> records = new LinkedHashSet<>();
    for (Place place : report.places()) {
      if (!place.isComplete()) {
        problems.add(
            "line %d: %s: %s"
                .formatted(place.line(), place.source().replaceAll("\\s+", " "), lacking(place)));
      }
      records.addAll(place.records());
    }
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (ObjectNode record : records) {
      String experiment = record.path(PointRecord.EXPERIMENT).asString("");
      check
          .problem(record)
          .ifPresent(one -> counts.merge(experiment + ": " + one, 1, Integer::sum));
    }
    counts.forEach((problem, count) -> problems.add(problem + " (records: " + count + ")"));
    problems.addAll(mixed(records));
    return problems;
  }

  /**
   * What is wrong with records that are compared with each other, those of a round and of points
   * that differ only in the system: their ratio says nothing if they are of different code, and so
   * of different days.
   */
  private List<String> mixed(Set<ObjectNode> records) {
    Map<String, Map<Map<String, String>, List<ObjectNode>>> experiments = new LinkedHashMap<>();
    for (ObjectNode record : records) {
      Map<String, String> coordinates = RecordCheck.coordinates(record);
      coordinates.remove(Point.SYSTEM);
      coordinates.put(PointRecord.ROUND, record.path(PointRecord.ROUND).asString(""));
      experiments
          .computeIfAbsent(
              record.path(PointRecord.EXPERIMENT).asString(""), any -> new LinkedHashMap<>())
          .computeIfAbsent(coordinates, any -> new ArrayList<>())
          .add(record);
    }
    List<String> problems = new ArrayList<>();
    experiments.forEach(
        (experiment, compared) -> {
          List<List<ObjectNode>> several =
              compared.values().stream().filter(check::isOfDifferentCode).toList();
          if (!several.isEmpty()) {
            Set<String> commits = new TreeSet<>();
            several.forEach(
                group ->
                    group.forEach(
                        record ->
                            Provenance.version(record)
                                .ifPresent(one -> commits.add(Provenance.shown(one.commit())))));
            problems.add(
                "%s: records that are compared with each other are of several commits (%s); delete"
                        .formatted(experiment, String.join(", ", commits))
                    + " all but those of one, and measure again (comparisons: %d)"
                        .formatted(several.size()));
          }
        });
    return problems;
  }

  private static String lacking(Place place) {
    String runs = "%d of %d runs are recorded".formatted(place.foundRuns(), place.wantedRuns());
    if (place.strayRuns() > 0) {
      return runs
          + ", and %d of points that the definition does not have".formatted(place.strayRuns());
    }
    return place.foundRuns() < place.wantedRuns() ? runs : "not measured";
  }
}
