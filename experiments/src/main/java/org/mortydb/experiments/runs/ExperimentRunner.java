package org.mortydb.experiments.runs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.mortydb.bench.report.Report;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.plan.Way;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.Rate;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs the points of an experiment. Each writes a record. Points with a record do not run again, so
 * an interrupted run can continue.
 *
 * <p>Points run one after another, because they share the machine. Only simulated points may run
 * several at a time: their figures do not depend on the machine.
 *
 * <p>A point for which the memory does not suffice fails alone, since others may need less.
 */
public final class ExperimentRunner {
  /** The assumed overhead of a point beside warm-up and window, before any measurement. */
  private static final double OVERHEAD_SECONDS = 4;

  /** How long points that run at once may take to end after an interrupt. */
  private static final long END_SECONDS = 60;

  /** The wait before a point is tried again; it doubles. */
  private static final long RETRY_SECONDS = 5;

  private final Definition definition;
  private final RecordFolder folder;
  private final Map<Way, PointRunner> runners;
  private final Progress progress;
  private final Sleeper sleeper;
  private final PointNames names;
  private int jobs = 1;

  /** Waits. */
  @FunctionalInterface
  interface Sleeper {
    /** Waits for some time. */
    void sleep(Duration time) throws InterruptedException;
  }

  /**
   * @param runners the runners by way; a way without open points needs none
   */
  public ExperimentRunner(
      Definition definition,
      RecordFolder folder,
      Map<Way, PointRunner> runners,
      Progress progress) {
    this(definition, folder, runners, progress, Thread::sleep);
  }

  ExperimentRunner(
      Definition definition,
      RecordFolder folder,
      Map<Way, PointRunner> runners,
      Progress progress,
      Sleeper sleeper) {
    this.sleeper = sleeper;
    this.definition = definition;
    this.folder = folder;
    this.runners = runners;
    this.progress = progress;
    this.names = new PointNames(definition.points());
  }

  /**
   * This runner, which runs several simulated points at a time, after all others. Each needs memory
   * of its own.
   *
   * @param most the most points at a time, 1 or more
   */
  public ExperimentRunner withJobs(int most) {
    jobs = most;
    return this;
  }

  /**
   * The result of an experiment.
   *
   * @param measured the number of points measured now
   * @param skipped the number of points measured before
   * @param failures the failed points, with reasons
   * @param violations all points in which a check found a violation
   */
  public record Outcome(
      int measured, int skipped, List<String> failures, List<String> violations) {}

  /**
   * Runs all points without a record, and failed points.
   *
   * @param again whether to run the other points again
   * @throws MissingRunnerException if an open point has no runner; nothing has run then
   * @throws java.io.UncheckedIOException if a record cannot be read or written
   */
  public Outcome run(boolean again) throws InterruptedException {
    return run(record -> !again);
  }

  /**
   * Runs all points without a record that stands. An old record is replaced at the end of the run,
   * unless the run fails.
   *
   * @param stands whether a point with this record of a measurement need not run again
   * @throws MissingRunnerException if an open point has no runner; nothing has run then
   * @throws java.io.UncheckedIOException if a record cannot be read or written
   */
  public Outcome run(Predicate<ObjectNode> stands) throws InterruptedException {
    List<Step> steps = definition.steps();
    List<Step> open = new ArrayList<>();
    List<String> violations = new ArrayList<>();
    for (Step step : steps) {
      Optional<ObjectNode> old = folder.find(step).filter(PointRecord::isMeasured).filter(stands);
      if (old.isEmpty()) {
        open.add(step);
      } else {
        addViolation(violations, step, old.get());
      }
    }
    requireRunners(open);
    if (!open.isEmpty()) {
      preheat();
    }
    List<String> failures = new ArrayList<>();
    TimeLeft time = new TimeLeft(open);
    List<Step> atOnce = jobs == 1 ? List.of() : open.stream().filter(this::isSimulated).toList();
    List<Step> oneByOne = open.stream().filter(step -> !atOnce.contains(step)).toList();
    for (List<Step> together : SharedClusters.of(oneByOne, this::sharesCluster)) {
      List<ObjectNode> records =
          run(together, steps.indexOf(together.getFirst()), steps.size(), time.text());
      for (int i = 0; i < together.size(); i++) {
        finish(together.get(i), records.get(i), time, failures, violations);
      }
    }
    runAtOnce(atOnce, time, failures, violations);
    return new Outcome(
        open.size() - failures.size(), steps.size() - open.size(), failures, violations);
  }

  private void requireRunners(List<Step> open) {
    for (Step step : open) {
      Way way = step.point().way();
      if (!runners.containsKey(way)) {
        throw new MissingRunnerException(
            "%s has %s points, which cannot run here%s"
                .formatted(
                    definition.name(),
                    way,
                    way == Way.DEPLOYED
                        ? ": name their agents with --agents, or try --agents local"
                        : ""));
      }
    }
  }

  private boolean sharesCluster(Step step) {
    return definition.shares(step.point()) && runner(step.point()).sharesClusters();
  }

  private boolean isSimulated(Step step) {
    return step.point().way() == Way.SIMULATED;
  }

  private void finish(
      Step step, ObjectNode record, TimeLeft time, List<String> failures, List<String> violations) {
    time.done(step);
    if (PointRecord.isMeasured(record)) {
      folder.write(step, record);
      addViolation(violations, step, record);
      return;
    }
    String failure = nameOf(step) + ": " + record.path(PointRecord.FAILURE).asString();
    Optional<ObjectNode> old = folder.find(step).filter(PointRecord::isMeasured);
    if (old.isEmpty()) {
      folder.write(step, record);
      failures.add(failure);
    } else {
      // A measurement is worth more than the news that another one failed.
      addViolation(violations, step, old.get());
      failures.add(failure + "\nits earlier record is kept: " + folder.file(step));
    }
  }

  /** Runs points several at a time. Those that share a saturated rate run one after another. */
  private void runAtOnce(
      List<Step> steps, TimeLeft time, List<String> failures, List<String> violations)
      throws InterruptedException {
    if (steps.isEmpty()) {
      return;
    }
    Map<Object, List<Step>> groups = new LinkedHashMap<>();
    for (Step step : steps) {
      Rate rate = step.point().rate();
      Object group = rate != null && rate.ofMax() ? step.point().saturationCoordinates() : step;
      groups.computeIfAbsent(group, any -> new ArrayList<>()).add(step);
    }
    ExecutorService threads = Executors.newFixedThreadPool(jobs);
    try (Progress.Phase phase = progress.begin("run", "points", steps.size())) {
      CompletionService<Void> ended = new ExecutorCompletionService<>(threads);
      AtomicInteger done = new AtomicInteger();
      phase.update(0, time.text() + jobs + " at a time");
      for (List<Step> group : groups.values()) {
        ended.submit(
            () -> {
              for (Step step : group) {
                ObjectNode record = run(step);
                synchronized (this) {
                  finish(step, record, time, failures, violations);
                  phase.update(done.incrementAndGet(), time.text() + nameOf(step));
                }
              }
              return null;
            });
      }
      for (int i = 0; i < groups.size(); i++) {
        try {
          ended.take().get();
        } catch (ExecutionException e) {
          if (e.getCause() instanceof RuntimeException cause) {
            throw cause;
          }
          throw new IllegalStateException(e);
        }
      }
    } finally {
      threads.shutdownNow();
      var unused = threads.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Runs a simulated point without showing its progress. */
  private ObjectNode run(Step step) throws InterruptedException {
    long start = System.nanoTime();
    try {
      Report report = runner(step.point()).run(step.point(), Progress.NONE);
      return PointRecord.measured(definition, step, report, (System.nanoTime() - start) / 1e9);
    } catch (RuntimeException | VirtualMachineError e) {
      return PointRecord.failed(definition, step, e);
    }
  }

  private void addViolation(List<String> violations, Step step, ObjectNode record) {
    if (PointRecord.isViolated(record)) {
      violations.add(nameOf(step) + ": " + folder.file(step));
    }
  }

  private String nameOf(Step step) {
    String name = names.of(step.point());
    return definition.rounds() == 1 ? name : name + ", round " + step.round();
  }

  /**
   * Runs steps on one cluster; one step, unless the runner shares clusters.
   *
   * @return their records, in order
   */
  private List<ObjectNode> run(List<Step> steps, int place, int count, String timeLeft)
      throws InterruptedException {
    long start = System.nanoTime();
    try (Progress.Phase phase = progress.begin("run", "points", count)) {
      String more =
          steps.size() == 1 ? "" : " and %d more on its cluster".formatted(steps.size() - 1);
      String what = timeLeft + nameOf(steps.getFirst()) + more + ": ";
      List<Point> points = steps.stream().map(Step::point).toList();
      PointRunner runner = runner(points.getFirst());
      for (int attempt = 1; true; attempt++) {
        try {
          List<Report> reports = runner.runAll(points, new Nested(phase, place + 1L, what));
          double tookSeconds = (System.nanoTime() - start) / 1e9 / steps.size();
          List<ObjectNode> records = new ArrayList<>();
          for (int i = 0; i < steps.size(); i++) {
            Report report = reports.get(i);
            phase.update(place + 1L + i, timeLeft + nameOf(steps.get(i)) + ": " + summary(report));
            ObjectNode record = PointRecord.measured(definition, steps.get(i), report, tookSeconds);
            records.add(attempt == 1 ? record : record.put(PointRecord.ATTEMPTS, attempt));
          }
          return records;
        } catch (RuntimeException | VirtualMachineError e) {
          if (attempt >= runner.tries()) {
            return steps.stream().map(step -> PointRecord.failed(definition, step, e)).toList();
          }
          phase.update(place + 1L, what + "failed, is tried again: " + FailureReason.of(e));
          sleeper.sleep(Duration.ofSeconds(RETRY_SECONDS << (attempt - 1)));
        }
      }
    }
  }

  private PointRunner runner(Point point) {
    PointRunner runner = runners.get(point.way());
    if (runner == null) {
      throw new IllegalStateException("no runner for " + point.way());
    }
    return runner;
  }

  /** Preheats. Failures do not matter, because the measured run reports them. */
  private void preheat() throws InterruptedException {
    int place = 0;
    List<Point> points = definition.preheating();
    for (Point point : points) {
      place++;
      try (Progress.Phase phase = progress.begin("preheat", "points", points.size())) {
        String what = names.of(point) + ": ";
        Report report = runner(point).run(point, new Nested(phase, place, what));
        phase.update(place, what + summary(report));
      } catch (RuntimeException | VirtualMachineError e) {
        // The measured run reports it.
      }
    }
  }

  private static String summary(Report report) {
    return String.format(
        Locale.ROOT,
        "%,.0f txn/s, commit rate %.3f, p50 %.1f ms%s",
        report.committedPerSecond(),
        report.commitRate(),
        report.latencyMicros().p50() / 1e3,
        Boolean.FALSE.equals(report.serializable()) || Boolean.FALSE.equals(report.consistent())
            ? ", VIOLATION"
            : "");
  }

  /** Shows the phases of a point as one phase. */
  private record Nested(Progress.Phase outer, long done, String what) implements Progress {
    @Override
    public Phase begin(String name, String unit, long total) {
      return new Phase() {
        @Override
        public void update(long ignored, String message) {
          outer.update(done, what + name + ", " + message);
        }

        @Override
        public void close() {}
      };
    }
  }

  /** Estimates the remaining time. */
  private static final class TimeLeft {
    private static final double MINUTE = 60;

    private final long startNanos = System.nanoTime();
    private double plannedSeconds;
    private double doneSeconds;
    private int done;
    private int left;

    TimeLeft(List<Step> steps) {
      left = steps.size();
      steps.forEach(step -> plannedSeconds += planned(step));
    }

    private static double planned(Step step) {
      return step.point().warmupSeconds() + step.point().seconds();
    }

    void done(Step step) {
      done++;
      left--;
      doneSeconds += planned(step);
    }

    String text() {
      double open = plannedSeconds - doneSeconds;
      double seconds =
          done == 0
              ? open + left * OVERHEAD_SECONDS
              : open * ((System.nanoTime() - startNanos) / 1e9 / doneSeconds);
      return seconds < MINUTE
          ? String.format(Locale.ROOT, "%.0f s left; ", seconds)
          : String.format(Locale.ROOT, "%.0f min left; ", Math.ceil(seconds / MINUTE));
    }
  }
}
