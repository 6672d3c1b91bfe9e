package org.mortydb.experiments.paper;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.mortydb.bench.experiment.CodeVersion;
import org.mortydb.bench.experiment.GitRepository;
import org.mortydb.bench.measure.MachineMeter;
import org.mortydb.experiments.runs.Provenance;
import tools.jackson.databind.node.ObjectNode;

/**
 * Examines whether a record may stand: whether its code is known and recent, and whether the
 * machine was quiet. Not thread-safe.
 */
public final class RecordCheck {
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
  public RecordCheck(GitRepository repository, int maxAge) {
    this.repository = repository;
    this.maxAge = maxAge;
    this.head = repository.head();
  }

  /**
   * What is wrong with a record, in a sentence; empty if nothing is.
   *
   * @throws org.mortydb.cli.FailedException if git fails
   */
  public Optional<String> problem(ObjectNode record) {
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
    if (age > maxAge) {
      return Optional.of(
          "commit %s is %,d commits old, at most %,d are allowed; measure again"
              .formatted(shown, age, maxAge));
    }
    double others =
        record.path(Provenance.ENVIRONMENT).path(MachineMeter.OTHER_PROGRAMS).asDouble(0);
    return others <= MachineMeter.MOST_OTHERS
        ? Optional.empty()
        : Optional.of(
            "other programs used more than %.0f %% of the machine; measure again when it is quiet"
                .formatted(100 * MachineMeter.MOST_OTHERS));
  }
}
