package org.mortydb.experiments.paper;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mortydb.bench.experiment.CodeVersion;
import org.mortydb.bench.experiment.GitRepository;
import org.mortydb.experiments.runs.PointRecord;
import org.mortydb.experiments.runs.Provenance;
import tools.jackson.databind.node.ObjectNode;

/** Examines whether a report is complete, and how old its records are. */
public final class ReportCheck {
  private final GitRepository repository;
  private final int maxAge;
  private final String head;
  private final Map<String, Boolean> known = new HashMap<>();
  private final Map<Code, Integer> ages = new HashMap<>();

  /** A version of some files. */
  private record Code(String commit, List<String> paths) {}

  /**
   * @param repository the repository with the commits of the records
   * @param maxAge the highest age of a record: the number of commits between its own and the one
   *     that is checked out, of those that change the code which it has run
   * @throws org.mortydb.cli.FailedException if git fails
   */
  public ReportCheck(GitRepository repository, int maxAge) {
    this.repository = repository;
    this.maxAge = maxAge;
    this.head = repository.head();
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
      problem(record).ifPresent(one -> counts.merge(experiment + ": " + one, 1, Integer::sum));
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

  private Optional<String> problem(ObjectNode record) {
    Optional<CodeVersion> version = Provenance.version(record);
    if (version.isEmpty()) {
      return Optional.of("the records name no commit, so their age is unknown; measure again");
    }
    String commit = version.get().commit();
    String shown = Provenance.shown(commit);
    if (version.get().dirty()) {
      return Optional.of(
          "measured with uncommitted changes on commit %s, so the code is unknown; measure again"
              .formatted(shown));
    }
    if (!known.computeIfAbsent(commit, repository::has)) {
      return Optional.of(
          "the repository lacks commit %s, so the age is unknown%s"
              .formatted(
                  shown,
                  repository.isShallow()
                      ? "; the clone is shallow: run git fetch --unshallow"
                      : "; fetch it, or measure again"));
    }
    int age =
        ages.computeIfAbsent(
            new Code(commit, MeasuredCode.of(record)),
            code -> repository.commitsBetween(code.commit, head, code.paths));
    return age <= maxAge
        ? Optional.empty()
        : Optional.of(
            "commit %s is %,d commits old, at most %,d are allowed; measure again"
                .formatted(shown, age, maxAge));
  }
}
