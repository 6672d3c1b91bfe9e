package org.mortydb.bench.simulated;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.Environment;
import org.mortydb.bench.experiment.Experiment;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.experiment.WatermarkLag;
import org.mortydb.bench.measure.ThreadMeter;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.simulated.Calibration.Comparison;
import org.mortydb.bench.simulated.Calibration.Outcome;
import org.mortydb.client.ReadLevel;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.Rounded;
import org.mortydb.workloads.load.Workload;

/**
 * Measures processor costs on this machine, in three steps:
 *
 * <ol>
 *   <li>Two event loops exchange frames, which yields the costs of turns and frames. A log writes
 *       to the disk, which yields the costs of records, writes and forces.
 *   <li>Each system runs each workload in virtual time. The wall clock times every step of a
 *       machine, and the production codec encodes and decodes the messages. That yields the costs
 *       of steps by kind of message.
 *   <li>Some points run in processes, which yields throughput and the processor time of servers and
 *       clients per commit, and the share of the servers' collectors. Processor time that their
 *       simulated twins cannot explain is attributed to the event loops, by a factor common to all,
 *       and to the steps: a factor for each system's servers and one for its clients. The twins run
 *       again with the new factors, a few times.
 * </ol>
 */
public final class Calibrator {
  /** The description of the method in the file. */
  static final String METHOD =
      "Event loops and frames: processor time of two loops that exchange frames, by least squares."
          + " The log: a write and a force, by least squares from the processor time of its thread;"
          + " records, with the wall clock. Steps, encoding and decoding: timed with the wall clock"
          + " by kind of message while the system runs the workload in virtual time. A factor on"
          + " event loops and frames, common to all, and one on the steps of each system, at servers"
          + " and at clients: by least squares, from the processor time per commit of real runs in"
          + " processes, without that of the servers' collectors, which has a share of its own. See"
          + " docs/explanation/simulation.md.";

  private static final double PART_SECONDS = 0.5;
  private static final int FITTING_ROUNDS = 3;
  private static final double GAUGE_WARMUP_SECONDS = 1;
  private static final double TWIN_SECONDS = 2;
  private static final double TWIN_WARMUP_SECONDS = 0.5;

  /** With delays a twin takes as long to settle as a real run: some back off for seconds. */
  private static final double FAR_TWIN_SECONDS = 12;

  private static final double FAR_TWIN_WARMUP_SECONDS = 8;

  /** The assumed cost of a step before any measurement, in nanoseconds. */
  private static final double UNKNOWN_NANOS = 2_000;

  private final double warmupSeconds;
  private final double seconds;
  private final double partSeconds;
  private final Path disk;
  private final Progress progress;
  private final Consumer<String> log;

  /**
   * @param warmupSeconds the time for which each real run is not measured at first
   * @param seconds the measured time of each real run
   * @param disk the directory in which the log's costs are measured, with a file that is deleted
   *     again
   * @param log receives the progress, line by line
   */
  public Calibrator(
      double warmupSeconds, double seconds, Path disk, Progress progress, Consumer<String> log) {
    this(warmupSeconds, seconds, PART_SECONDS, disk, progress, log);
  }

  /**
   * @param partSeconds the time of each measurement of event loops and frames, and of the log
   */
  Calibrator(
      double warmupSeconds,
      double seconds,
      double partSeconds,
      Path disk,
      Progress progress,
      Consumer<String> log) {
    this.warmupSeconds = warmupSeconds;
    this.seconds = seconds;
    this.partSeconds = partSeconds;
    this.disk = disk;
    this.progress = progress;
    this.log = log;
  }

  private record Measured(CalibrationPoint point, Outcome real) {}

  /** The systems that are fitted by default: those with costs of their own. */
  public static List<TransactionSystem> fitted() {
    return TransactionSystems.all().stream().filter(s -> s.calibratedLike() == null).toList();
  }

  /**
   * The systems whose steps are measured by default: all but the variants of Morty, whose replicas
   * and coordinators are Morty's. They take its costs, and a comparison with it sees no noise.
   */
  public static List<TransactionSystem> gauged() {
    return TransactionSystems.all().stream()
        .filter(system -> !Morty.NAME.equals(system.calibratedLike()))
        .toList();
  }

  /** The names of the installed workloads. */
  public static List<String> workloads() {
    return CalibrationPlan.workloads();
  }

  /**
   * Runs the calibration.
   *
   * @param systems the systems whose steps are measured
   * @param workloads the workloads on which they are measured
   * @param fitting the systems that run in processes, to find their factors and to compare them
   *     with their twins; a variant has the factors of its base system, any other system the mean
   * @param records records of earlier real runs of Retwis in processes, which replace the real
   *     runs; empty for new runs
   * @param remarks remarks on the circumstances
   * @throws IllegalArgumentException if a workload is unknown, or a record is not of such a run or
   *     does not say what the servers' collectors used
   * @throws java.io.UncheckedIOException if the log's directory cannot be used
   */
  public Calibration calibrate(
      List<TransactionSystem> systems,
      List<String> workloads,
      List<TransactionSystem> fitting,
      List<Path> records,
      String remarks)
      throws InterruptedException {
    List<CalibrationPoint> gauged = CalibrationPlan.gauged(systems, workloads);
    List<Measured> recorded =
        records.stream()
            .map(file -> new Measured(RecordedRun.point(file), RecordedRun.outcome(file)))
            .toList();
    log.accept("event loops and frames");
    TransportCosts transport = new TransportGauge(partSeconds).measure();
    log.accept("  " + transport);
    log.accept("the log");
    StorageCosts storage = new StorageGauge(partSeconds, disk).measure();
    log.accept("  " + storage);
    List<Measured> measured = records.isEmpty() ? real(CalibrationPlan.fitted(fitting)) : recorded;
    return calibrate(transport, storage, true, gauged, measured, remarks);
  }

  /**
   * Measures the steps anew, and fits them to the real runs of an earlier calibration, of which
   * event loops, frames and log are kept. This machine must be as fast as the calibrated one.
   *
   * @param systems the systems whose steps are measured
   * @param workloads the workloads on which they are measured
   * @throws IllegalArgumentException if a workload is unknown, or a point is not one of Retwis
   * @throws InvalidCalibrationException if this machine has another number of processors
   */
  public Calibration again(
      Calibration earlier, List<TransactionSystem> systems, List<String> workloads, String remarks)
      throws InterruptedException {
    int cores = Runtime.getRuntime().availableProcessors();
    if (earlier.processors() != cores) {
      throw new InvalidCalibrationException(
          "the calibrated machine has %d processors, this one %d: calibrate anew"
              .formatted(earlier.processors(), cores),
          null);
    }
    return calibrate(
        earlier.transport(),
        earlier.storage(),
        false,
        CalibrationPlan.gauged(systems, workloads),
        known(earlier),
        remarks.isEmpty() ? earlier.remarks() : remarks);
  }

  /**
   * Adds the kinds of messages that a calibration lacks, and measures only steps: how long the new
   * kinds take beside those that the calibration has, in the same run. So this machine may be
   * slower than the calibrated one, and busier.
   *
   * @param systems the systems whose steps are measured
   * @param workloads the workloads on which they are measured
   * @throws IllegalArgumentException if a workload is unknown
   * @throws InvalidCalibrationException if the calibration lacks a system or workload altogether
   */
  public Calibration complete(
      Calibration lacking, List<TransactionSystem> systems, List<String> workloads, String remarks)
      throws InterruptedException {
    Map<String, Map<String, SystemCosts>> costs = new TreeMap<>();
    lacking.costs().forEach((system, some) -> costs.put(system, new TreeMap<>(some)));
    for (CalibrationPoint point : CalibrationPlan.gauged(systems, workloads)) {
      String workload = point.newWorkload().name();
      SystemCosts known = lacking.measured(point.system(), workload);
      if (known == null) {
        throw new InvalidCalibrationException(
            "the calibration lacks system '%s' on workload '%s' altogether: measure it anew"
                .formatted(point.system(), workload),
            null);
      }
      List<ReadLevel> levels =
          TransactionSystems.named(point.system()).readsPast()
              ? List.of(ReadLevel.SERIALIZABLE, ReadLevel.NEWEST_SNAPSHOT)
              : List.of(ReadLevel.SERIALIZABLE);
      for (ReadLevel level : levels) {
        log.accept("steps of " + point.described() + ", level " + level.words());
        known = known.completed(gauge(point, level));
      }
      costs.computeIfAbsent(point.system(), system -> new TreeMap<>()).put(workload, known);
    }
    return new Calibration(
        lacking.method(),
        remarks.isEmpty() ? lacking.remarks() : remarks,
        lacking.environment(),
        lacking.transport(),
        lacking.storage(),
        lacking.scales(),
        costs,
        lacking.points());
  }

  private Calibration calibrate(
      TransportCosts transport,
      @Nullable StorageCosts storage,
      boolean withTransport,
      List<CalibrationPoint> gauged,
      List<Measured> measured,
      String remarks)
      throws InterruptedException {
    Map<String, Map<String, SystemCosts>> costs = new TreeMap<>();
    // All systems before any is measured: the first would otherwise run code that is not compiled.
    for (String system : gauged.stream().map(CalibrationPoint::system).distinct().toList()) {
      log.accept("warm-up of " + system);
      gauge(CalibrationPlan.warming(TransactionSystems.named(system)), ReadLevel.SERIALIZABLE);
    }
    for (CalibrationPoint point : gauged) {
      Workload workload = point.newWorkload();
      log.accept("steps of " + point.described());
      costs
          .computeIfAbsent(point.system(), system -> new TreeMap<>())
          .put(workload.name(), gauge(point, ReadLevel.SERIALIZABLE));
    }
    return fitted(
        new Calibration(
            METHOD, remarks, Environment.facts(), transport, storage, Map.of(), costs, List.of()),
        measured,
        withTransport);
  }

  private Calibration fitted(Calibration unfitted, List<Measured> measured, boolean withTransport)
      throws InterruptedException {
    Calibration calibration = unfitted;
    for (int round = 0; round < FITTING_ROUNDS; round++) {
      calibration = fit(calibration, measured, withTransport);
      log.accept("fitted: " + calibration.transport() + ", " + calibration.scales());
    }
    return new Calibration(
        METHOD,
        calibration.remarks(),
        calibration.environment(),
        calibration.transport(),
        calibration.storage(),
        calibration.scales(),
        calibration.costs(),
        compare(calibration, measured));
  }

  /**
   * Fits the factors of a calibration to its own real runs once more, and measures nothing. So it
   * does not matter how fast this machine is, and what else it does.
   *
   * @throws InvalidCalibrationException if the calibration does not say how many processors its
   *     machine has
   * @throws IllegalArgumentException if a point is not one of Retwis
   */
  public Calibration refit(Calibration earlier, String remarks) throws InterruptedException {
    return fitted(
        new Calibration(
            METHOD,
            remarks.isEmpty() ? earlier.remarks() : remarks,
            earlier.environment(),
            earlier.transport(),
            earlier.storage(),
            earlier.scales(),
            earlier.costs(),
            List.of()),
        known(earlier),
        true);
  }

  private static List<Measured> known(Calibration earlier) {
    return earlier.points().stream()
        .map(run -> new Measured(RecordedRun.point(run), run.real()))
        .toList();
  }

  /**
   * Measures the steps of a point.
   *
   * @param level of its read-only transactions
   */
  private SystemCosts gauge(CalibrationPoint point, ReadLevel level) throws InterruptedException {
    KindCost unknown = new KindCost(UNKNOWN_NANOS, UNKNOWN_NANOS, UNKNOWN_NANOS);
    PlaceCosts place = new PlaceCosts(Map.of(), unknown, UNKNOWN_NANOS, UNKNOWN_NANOS);
    Calibration provisional =
        new Calibration(
            METHOD,
            "",
            Map.of(),
            new TransportCosts(5_000, 1_000, 5_000, 5_000, 5_000, 0),
            null,
            Map.of(),
            Map.of(
                point.system(), Map.of(point.newWorkload().name(), new SystemCosts(place, place))),
            List.of());
    Gauge gauge = new Gauge(TransactionSystems.named(point.system()));
    SimulatedExperiment.Ran unused =
        simulated(
                point,
                level,
                provisional,
                Runtime.getRuntime().availableProcessors(),
                Math.min(warmupSeconds, GAUGE_WARMUP_SECONDS),
                Math.min(seconds, TWIN_SECONDS))
            .run(progress, gauge);
    return gauge.costs();
  }

  private List<Measured> real(List<CalibrationPoint> points) throws InterruptedException {
    List<Measured> all = new ArrayList<>();
    for (CalibrationPoint point : points) {
      log.accept("real run of " + point.described());
      Report report =
          new Experiment(
                  point.newWorkload(),
                  point.cluster(true),
                  point.run(warmupSeconds, seconds),
                  true,
                  Map.of())
              .execute(progress);
      log.accept("  " + outcome(report));
      if (!report.environment().containsKey(ThreadMeter.SERVER_COLLECTORS)) {
        log.accept("  the collectors' share is unknown here: their time counts as that of steps");
      }
      all.add(new Measured(point, outcome(report)));
    }
    return all;
  }

  private SimulatedExperiment simulated(
      CalibrationPoint point,
      ReadLevel level,
      Calibration calibration,
      int cores,
      double warmup,
      double window) {
    ClusterSettings cluster = point.cluster(false);
    for (Map.Entry<String, String> setting : WatermarkLag.settings(level).entrySet()) {
      cluster = cluster.with(setting.getKey(), setting.getValue());
    }
    return new SimulatedExperiment(
        point.newWorkload(),
        cluster,
        SimulatedHosts.shared(cores),
        point.run(warmup, window),
        RetryDefaults.of(cluster).withReadLevel(level),
        calibration,
        true,
        Map.of());
  }

  private SimulatedExperiment.Ran twin(Calibration calibration, CalibrationPoint point)
      throws InterruptedException {
    boolean far = point.delayMillis() != null;
    return simulated(
            point,
            ReadLevel.SERIALIZABLE,
            calibration,
            calibration.processors(),
            Math.min(warmupSeconds, far ? FAR_TWIN_WARMUP_SECONDS : TWIN_WARMUP_SECONDS),
            Math.min(seconds, far ? FAR_TWIN_SECONDS : TWIN_SECONDS))
        .run(progress, null);
  }

  /** This calibration with the factors of {@link CostFit}, after another run of the twins. */
  private Calibration fit(Calibration calibration, List<Measured> measured, boolean withTransport)
      throws InterruptedException {
    CostFit fit = new CostFit();
    for (Measured one : measured) {
      SimulatedExperiment.Ran twin = twin(calibration, one.point);
      long commits =
          twin.report().transactions().values().stream().mapToLong(type -> type.committed()).sum();
      String system = one.point.system();
      fit.add(system, calibration.scale(system), commits, twin.servers(), twin.clients(), one.real);
    }
    CostFit.Factors factors = fit.solve(withTransport);
    return calibration.with(
        calibration.transport().times(factors.transport()),
        withOthers(factors.scales(), calibration.costs().keySet()));
  }

  /** Adds the other systems: variants with the factor of their base, all others with the mean. */
  private static Map<String, StepScale> withOthers(
      Map<String, StepScale> fitted, Set<String> systems) {
    if (fitted.isEmpty()) {
      return fitted;
    }
    StepScale mean =
        new StepScale(
            fitted.values().stream().mapToDouble(StepScale::server).average().orElseThrow(),
            fitted.values().stream().mapToDouble(StepScale::client).average().orElseThrow(),
            fitted.values().stream().mapToDouble(StepScale::collector).average().orElseThrow());
    Map<String, StepScale> all = new TreeMap<>(fitted);
    for (String system : systems) {
      String like = TransactionSystems.named(system).calibratedLike();
      all.putIfAbsent(system, like == null ? mean : fitted.getOrDefault(like, mean));
    }
    return all;
  }

  private List<Comparison> compare(Calibration calibration, List<Measured> measured)
      throws InterruptedException {
    List<Comparison> all = new ArrayList<>();
    for (Measured one : measured) {
      Outcome real = one.real;
      Outcome simulated = outcome(twin(calibration, one.point));
      double ratio = ratio(simulated.committedPerSecond(), real.committedPerSecond());
      double cpuRatio = ratio(cpu(simulated), cpu(real));
      Comparison comparison =
          new Comparison(one.point.described(), real, simulated, ratio, cpuRatio);
      log.accept(
          "%s%n  real      %s%n  simulated %s%n  ratio of throughput %.2f, of processor time %.2f"
              .formatted(comparison.point(), real, simulated, ratio, cpuRatio));
      all.add(comparison);
    }
    return all;
  }

  private static double ratio(double simulated, double real) {
    return Math.round(1_000 * simulated / real) / 1_000.0;
  }

  private static double cpu(Outcome outcome) {
    return outcome.serverCpuMicrosPerCommit() + outcome.clientCpuMicrosPerCommit();
  }

  private static Outcome outcome(SimulatedExperiment.Ran twin) {
    Loop.Usage servers = twin.servers();
    return outcome(twin.report(), (double) servers.collectorNanos / Math.max(1, servers.busyNanos));
  }

  private static Outcome outcome(Report report) {
    return outcome(
        report,
        report.environment().get(ThreadMeter.SERVER_COLLECTORS) instanceof Number share
            ? share.doubleValue()
            : 0);
  }

  /**
   * The result of a run.
   *
   * @param collectors the share of the servers' processor time that their collectors used
   */
  private static Outcome outcome(Report report, double collectors) {
    double all = Objects.requireNonNull(report.cpuMicrosPerCommit(), "processor time");
    double clients = Objects.requireNonNull(report.clientCpuMicrosPerCommit(), "processor time");
    double servers = Rounded.to(1, all - clients);
    return new Outcome(
        report.committedPerSecond(),
        report.commitRate(),
        report.latencyMicros().p50(),
        report.latencyMicros().p99(),
        servers,
        Rounded.to(1, collectors * servers),
        clients);
  }
}
