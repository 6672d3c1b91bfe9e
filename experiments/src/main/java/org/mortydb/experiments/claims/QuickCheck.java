package org.mortydb.experiments.claims;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.ExperimentRunner;
import org.mortydb.experiments.runs.FailureReason;
import org.mortydb.experiments.runs.PointRecord;
import org.mortydb.experiments.runs.PointRunner;
import org.mortydb.experiments.runs.RecordFolder;
import org.mortydb.experiments.windows.WindowsRecord;
import org.mortydb.workloads.WorkloadChoice;
import org.mortydb.workloads.load.Progress;
import tools.jackson.databind.node.ObjectNode;

/**
 * A short version of each kind of run that claims need, to see whether everything is installed and
 * works. A kind is a way, a workload, a system, and the number of servers that are killed. Its
 * smallest point runs for about a second, on a small database.
 */
public final class QuickCheck {
  /** What to say of every number of a quick check. */
  public static final String WARNING = "quick: numbers are not evidence";

  private static final double REAL_WARMUP_SECONDS = 1;
  private static final double REAL_SECONDS = 1;
  private static final double VIRTUAL_WARMUP_SECONDS = 0.2;
  private static final double VIRTUAL_SECONDS = 0.3;
  private static final double WINDOWS_SECONDS = 1;

  /** Virtual time takes as long as its transactions are many. */
  private static final int MOST_VIRTUAL_CLIENTS = 192;

  /** The most of what makes a database large, by the options' names: filling it takes time. */
  private static final Map<String, Double> MOST =
      Map.of("keys", 2_000.0, "accounts", 2_000.0, "scale", 0.02);

  private static final String FOLDER = "quick";

  private final Path folder;
  private final Map<Way, PointRunner> runners;
  private final ClaimRunner.WindowsRunner windows;
  private final Progress progress;

  /**
   * @param folder the folder of claims' records; quick records are in a folder of their own there
   */
  public QuickCheck(
      Path folder,
      Map<Way, PointRunner> runners,
      ClaimRunner.WindowsRunner windows,
      Progress progress) {
    this.folder = folder.resolve(FOLDER);
    this.runners = runners;
    this.windows = windows;
    this.progress = progress;
  }

  /**
   * The result of a kind of run.
   *
   * @param kind its way, workload and system
   * @param experiment the experiment that its point is from
   * @param failure the reason of a failure; null if it works
   * @param violated whether a check found a violation
   * @param throughput committed transactions per second; null if unknown
   */
  public record Tried(
      String kind,
      String experiment,
      @Nullable String failure,
      boolean violated,
      @Nullable Double throughput) {
    /** The result in a line; {@code failure} may be longer. */
    public String words() {
      return failure != null
          ? "failed: " + ClaimTexts.firstLine(failure)
          : violated ? "VIOLATION" : "works";
    }
  }

  /**
   * Tries all kinds of runs of some claims, including those that were tried before.
   *
   * @throws java.io.UncheckedIOException if a record cannot be written
   */
  public List<Tried> run(List<Claim> claims) throws InterruptedException {
    List<Tried> tried = new ArrayList<>();
    for (Definition definition : chosen(claims)) {
      RecordFolder records = new RecordFolder(folder.resolve(definition.name()));
      // A run that fails would leave the record of an earlier one that worked.
      definition.steps().forEach(records::delete);
      new ExperimentRunner(definition, records, runners, progress).run(false);
      for (Definition.Step step : definition.steps()) {
        tried.add(tried(definition, step.point(), records.find(step).orElseThrow()));
      }
    }
    Set<String> systems = new LinkedHashSet<>();
    for (Claim claim : claims) {
      if (claim.runs() instanceof ClaimRuns.OfWindows runs) {
        systems.addAll(runs.systems());
      }
    }
    if (!systems.isEmpty()) {
      tried.addAll(windows(List.copyOf(systems)));
    }
    return tried;
  }

  private static Tried tried(Definition definition, Point point, ObjectNode record) {
    boolean measured = PointRecord.isMeasured(record);
    return new Tried(
        kind(point),
        definition.name(),
        measured ? null : record.path(PointRecord.FAILURE).asString("no reason given"),
        PointRecord.isViolated(record),
        measured ? record.path("committedPerSecond").asDouble(0) : null);
  }

  private List<Tried> windows(List<String> systems) throws InterruptedException {
    List<Tried> tried = new ArrayList<>();
    try {
      for (WindowsRecord.SystemWindows system :
          windows.run(systems, WINDOWS_SECONDS, progress).systems()) {
        tried.add(
            new Tried(
                "windows, retwis, " + system.system(),
                "windows",
                null,
                Boolean.FALSE.equals(system.serializable()) || system.overlapping() > 0,
                system.committedPerSecond()));
      }
    } catch (RuntimeException | VirtualMachineError e) {
      tried.add(new Tried("windows", "windows", FailureReason.of(e), false, null));
    }
    return tried;
  }

  /** The smallest point of each kind, shortened, by experiment. */
  static List<Definition> chosen(List<Claim> claims) {
    Map<String, Point> smallest = new LinkedHashMap<>();
    for (Claim claim : claims) {
      if (claim.runs() instanceof ClaimRuns.OfExperiment(Definition definition)) {
        for (Point point : definition.points()) {
          smallest.merge(
              kind(point),
              point,
              (one, other) ->
                  Comparator.comparingLong(QuickCheck::size).compare(one, other) <= 0
                      ? one
                      : other);
        }
      }
    }
    Set<Point> left = new LinkedHashSet<>(smallest.values());
    Map<String, Definition> experiments = new LinkedHashMap<>();
    Map<String, List<Point>> points = new LinkedHashMap<>();
    for (Claim claim : claims) {
      if (claim.runs() instanceof ClaimRuns.OfExperiment(Definition definition)) {
        experiments.putIfAbsent(definition.name(), definition);
        definition.points().stream()
            .filter(left::remove)
            .map(QuickCheck::shortened)
            .forEach(
                point ->
                    points.computeIfAbsent(definition.name(), any -> new ArrayList<>()).add(point));
      }
    }
    List<Definition> chosen = new ArrayList<>();
    points.forEach(
        (name, some) -> {
          Definition definition = experiments.get(name);
          if (definition != null) {
            chosen.add(definition.withPoints(some).once());
          }
        });
    return chosen;
  }

  private static Point shortened(Point whole) {
    Point point = whole.with(small(whole.workload()));
    return point.way() == Way.REAL
        ? point.with(REAL_WARMUP_SECONDS, REAL_SECONDS, point.seed())
        : point
            .with(VIRTUAL_WARMUP_SECONDS, VIRTUAL_SECONDS, point.seed())
            .withAtMost(MOST_VIRTUAL_CLIENTS);
  }

  /** A workload on a small database. */
  private static WorkloadChoice small(WorkloadChoice workload) {
    Map<String, String> values = new LinkedHashMap<>();
    workload
        .options()
        .forEach(
            (name, value) -> {
              Object kept = value;
              Double most = MOST.get(name);
              if (most != null && value instanceof Number number && number.doubleValue() > most) {
                kept = most;
              }
              values.put(name, Coordinates.text(kept));
            });
    return WorkloadChoice.of(workload.plugin(), values);
  }

  private static long size(Point point) {
    Integer cores = point.cores();
    return (long) point.clients() * point.partitions() * (cores == null ? 1 : cores);
  }

  private static String kind(Point point) {
    Integer down = point.down();
    return "%s, %s, %s%s"
        .formatted(
            point.way() == Way.SIMULATED
                ? "virtual time"
                : point.processes() ? "real, processes" : "real, one process",
            point.workload().name(),
            point.system().name(),
            down == null ? "" : ", %d of %d servers killed".formatted(down, point.regions()));
  }
}
