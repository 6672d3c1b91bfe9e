package org.mortydb.experiments.paper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mortydb.bench.experiment.CodeVersion;
import org.mortydb.bench.experiment.GitRepository;
import org.mortydb.bench.measure.MachineMeter;
import org.mortydb.bench.simulated.Calibration;
import org.mortydb.bench.simulated.InvalidCalibrationException;
import org.mortydb.bench.simulated.SimulatedExperiment;
import org.mortydb.cli.Checkout;
import org.mortydb.cli.FailedException;
import org.mortydb.experiments.growth.GrowthRecord;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.InvalidDefinitionException;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.PointRecord;
import org.mortydb.experiments.runs.Provenance;
import org.mortydb.experiments.runs.RecordFolder;
import org.mortydb.experiments.windows.WindowsRecord;
import org.mortydb.workloads.load.LoadSeries;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Examines whether a record may stand: whether its code is known and recent, whether a simulated
 * run had the processor costs of the repository, whether it ran for as long as the definition in
 * the checkout asks for, whether the machine was quiet, and whether a check found a violation. Not
 * thread-safe.
 */
public final class RecordCheck {
  private static final String SETTINGS = "settings";
  private static final String WARMUP = "warmup";
  private static final String SECONDS = "seconds";

  private final GitRepository repository;
  private final int maxAge;
  private final String head;

  /** The digest of the repository's calibration; empty without one. */
  private final String costs;

  private final Map<String, Boolean> known = new HashMap<>();
  private final Map<String, Map<Run, Wanted>> experiments = new HashMap<>();

  private final Map<Change, Integer> changes = new HashMap<>();

  /** What has changed of some files between two commits. */
  private record Change(String commit, String other, List<String> paths) {}

  /** What a record is of: a point, by its coordinates, in a round. */
  private record Run(Map<String, String> coordinates, int round) {}

  /**
   * What a definition asks for.
   *
   * @param settling the shorter warm-ups that are enough on processes that are warm
   */
  private record Wanted(Step step, Set<Double> settling) {}

  /**
   * @param repository the repository with the commits of the records
   * @param maxAge the highest age of a record: the number of commits between its own and the one
   *     that is checked out, of those that change the code which it has run
   * @throws FailedException if git fails, or the repository's calibration cannot be read
   */
  public RecordCheck(GitRepository repository, int maxAge) {
    this.repository = repository;
    this.maxAge = maxAge;
    this.head = repository.head();
    this.costs = costs(repository.root().resolve(Calibration.DEFAULT_FILE));
  }

  private static String costs(Path file) {
    try {
      return Files.exists(file) ? Calibration.read(file).digest() : "";
    } catch (InvalidCalibrationException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * What is wrong with a record, in a sentence; empty if nothing is.
   *
   * @throws FailedException if git fails, or the definition of its experiment is wrong
   */
  public Optional<String> problem(ObjectNode record) {
    return isViolated(record)
        ? Optional.of(
            "a check found a violation in %s; find its cause before you measure again"
                .formatted(name(record)))
        : outdated(record);
  }

  /**
   * Whether a record need not be measured again. One with a violation need not: a new run would
   * replace the evidence.
   *
   * @throws FailedException if git fails, or the definition of its experiment is wrong
   */
  public boolean stands(ObjectNode record) {
    return outdated(record).isEmpty();
  }

  /**
   * Whether records are of commits between which some of the code has changed that one of them ran.
   * Records without a commit, or of one that the repository lacks, do not count.
   *
   * @throws FailedException if git fails
   */
  boolean isOfDifferentCode(List<ObjectNode> records) {
    for (ObjectNode one : records) {
      for (ObjectNode other : records) {
        String commit = knownCommit(one);
        String another = knownCommit(other);
        if (commit.compareTo(another) < 0
            && !commit.isEmpty()
            && changesBetween(commit, another, one) > 0) {
          return true;
        }
      }
    }
    return false;
  }

  /** The number of commits between two that change the code which a record has run. */
  private int changesBetween(String commit, String other, ObjectNode record) {
    return changes.computeIfAbsent(
        new Change(commit, other, MeasuredCode.of(record)),
        change -> repository.commitsBetween(change.commit, change.other, change.paths));
  }

  private String knownCommit(ObjectNode record) {
    return Provenance.version(record)
        .map(CodeVersion::commit)
        .filter(commit -> known.computeIfAbsent(commit, repository::has))
        .orElse("");
  }

  /** Whether a check found a violation, in a record of any kind. */
  public static boolean isViolated(ObjectNode record) {
    return PointRecord.isViolated(record)
        || record.path("systems").valueStream().anyMatch(RecordCheck::isWindowViolated)
        || (isOf(record, GrowthRecord.EXPERIMENT) && record.path("lost").asLong(0) > 0);
  }

  /** An overlap means that the system is not serializable, or that the measurement is wrong. */
  private static boolean isWindowViolated(JsonNode system) {
    JsonNode serializable = system.path("serializable");
    return (serializable.isBoolean() && !serializable.asBoolean())
        || system.path("overlapping").asLong(0) > 0;
  }

  private static boolean isOf(ObjectNode record, String experiment) {
    return record.path(PointRecord.EXPERIMENT).asString("").equals(experiment);
  }

  /** Why a record has to be measured again; empty if it need not. */
  private Optional<String> outdated(ObjectNode record) {
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
    int age = changesBetween(commit, head, record);
    if (age > maxAge) {
      return Optional.of(
          "commit %s is %,d commits old, at most %,d are allowed; measure again"
              .formatted(shown, age, maxAge));
    }
    if (record.path(PointRecord.POINT).path("way").asString("").equals(Way.SIMULATED.toString())
        && !costs.isEmpty()
        && !record.path(SETTINGS).path(SimulatedExperiment.COSTS).asString("").equals(costs)) {
      return Optional.of(
          "measured with other processor costs than those of %s; measure again"
              .formatted(Calibration.DEFAULT_FILE));
    }
    Optional<String> shortened = wanted(record).flatMap(wanted -> shortened(record, wanted));
    if (shortened.isPresent()) {
      return shortened;
    }
    double others =
        record.path(Provenance.ENVIRONMENT).path(MachineMeter.OTHER_PROGRAMS).asDouble(0);
    return others <= MachineMeter.MOST_OTHERS
        ? Optional.empty()
        : Optional.of(
            "other programs used more than %.0f %% of the machine; measure again when it is quiet"
                .formatted(100 * MachineMeter.MOST_OTHERS));
  }

  /** Says that a run was shorter than its definition asks for, as in a trial. */
  private Optional<String> shortened(ObjectNode record, Wanted wanted) {
    JsonNode settings = record.path(SETTINGS);
    Point point = wanted.step.point();
    double warmup = settings.path(WARMUP).asDouble(point.warmupSeconds());
    double seconds = settings.path(SECONDS).asDouble(point.seconds());
    if (warmup < point.warmupSeconds() && !wanted.settling.contains(warmup)) {
      return Optional.of(
          shortened(record, text(warmup) + " s of warm-up", text(point.warmupSeconds())));
    }
    return seconds >= point.seconds()
        ? Optional.empty()
        : Optional.of(
            shortened(record, "a window of " + text(seconds) + " s", text(point.seconds())));
  }

  private String shortened(ObjectNode record, String had, String wanted) {
    return "%s has %s, the definition asks for %s s; measure again, as bin/morty campaign does"
        .formatted(name(record), had, wanted);
  }

  private static String text(double seconds) {
    return Coordinates.text(seconds);
  }

  /** The name of the file of a record; a description if the definition does not have its point. */
  private String name(ObjectNode record) {
    if (isOf(record, WindowsRecord.EXPERIMENT) || isOf(record, GrowthRecord.EXPERIMENT)) {
      return record.path(PointRecord.EXPERIMENT).asString() + ".json";
    }
    return wanted(record)
        .map(wanted -> new RecordFolder(Path.of("")).file(wanted.step).getFileName().toString())
        .orElseGet(
            () ->
                "a run of %s on %s, round %d"
                    .formatted(
                        record.path("workload").asString("?"),
                        record.path("system").asString("?"),
                        record.path(PointRecord.ROUND).asInt(1)));
  }

  /** The coordinates of a record's point, as texts. */
  static Map<String, String> coordinates(ObjectNode record) {
    Map<String, String> coordinates = new HashMap<>();
    record
        .path(PointRecord.POINT)
        .forEachEntry((name, value) -> coordinates.put(name, Coordinates.text(value.asString())));
    return coordinates;
  }

  /** What the definition asks for; empty if there is none, or it does not have the point. */
  private Optional<Wanted> wanted(ObjectNode record) {
    Run run = new Run(coordinates(record), record.path(PointRecord.ROUND).asInt(1));
    String experiment = record.path(PointRecord.EXPERIMENT).asString("");
    return Optional.ofNullable(
        experiments.computeIfAbsent(experiment, RecordCheck::wanted).get(run));
  }

  private static Map<Run, Wanted> wanted(String experiment) {
    Optional<Path> file =
        Checkout.find("paper/experiments")
            .map(folder -> folder.resolve(experiment + ".yaml"))
            .filter(Files::isRegularFile);
    Map<Run, Wanted> wanted = new HashMap<>();
    if (file.isPresent()) {
      Definition definition = read(file.get());
      Map<Map<String, String>, Set<Double>> settling = settling(definition);
      for (Step step : definition.steps()) {
        Map<String, String> coordinates = Coordinates.texts(step.point().coordinates());
        wanted.put(
            new Run(coordinates, step.round()),
            new Wanted(step, settling.getOrDefault(coordinates, Set.of())));
      }
    }
    return wanted;
  }

  private static Definition read(Path file) {
    try {
      return DefinitionFile.read(file);
    } catch (InvalidDefinitionException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * The shorter warm-ups that each point may have, by its coordinates, exactly: those of a load
   * after others on its cluster, or after the search for the saturated rate. Which loads run
   * together depends on the records that a campaign finds, so every earlier load of the cluster
   * counts.
   */
  private static Map<Map<String, String>, Set<Double>> settling(Definition definition) {
    List<Point> points = definition.points();
    Map<Map<String, String>, Set<Double>> settling = new HashMap<>();
    for (int i = 0; i < points.size(); i++) {
      Point point = points.get(i);
      boolean shares = definition.shares(point);
      Set<Double> times = new HashSet<>();
      if (searches(point) || (shares && points.stream().anyMatch(one -> searches(one, point)))) {
        times.add(LoadSeries.SETTLE_SECONDS);
      }
      for (Point earlier : shares ? points.subList(0, i) : List.<Point>of()) {
        if (earlier.clusterCoordinates().equals(point.clusterCoordinates())) {
          times.add(isLike(earlier, point) ? LoadSeries.SETTLE_SECONDS : LoadSeries.CHANGE_SECONDS);
        }
      }
      settling.put(Coordinates.texts(point.coordinates()), times);
    }
    return settling;
  }

  private static boolean searches(Point point) {
    return point.rate() != null && point.rate().ofMax();
  }

  /** Whether a load of the same series as a point's searches for the saturated rate. */
  private static boolean searches(Point other, Point point) {
    return searches(other) && isLike(other, point);
  }

  private static boolean isLike(Point one, Point other) {
    return one.saturationCoordinates().equals(other.saturationCoordinates());
  }
}
