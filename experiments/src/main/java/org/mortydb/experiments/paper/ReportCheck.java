package org.mortydb.experiments.paper;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mortydb.bench.experiment.GitRepository;
import org.mortydb.experiments.runs.PointRecord;
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
   * and problem.
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
