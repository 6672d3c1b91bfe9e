package org.mortydb.bench.simulated;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.mortydb.baselines.TransactionSystem;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.Backoff;
import org.mortydb.bench.experiment.Environment;
import org.mortydb.bench.experiment.Experiment;
import org.mortydb.bench.load.Progress;
import org.mortydb.bench.load.Workload;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.simulated.Calibration.Comparison;
import org.mortydb.bench.simulated.Calibration.Outcome;
import org.mortydb.bench.simulated.Loop.Usage;

/**
 * Finds out what things cost on this machine. Three steps:
 *
 * <ol>
 *   <li>Each system runs each workload in virtual time while the wall clock is looked at before and
 *       after every step of a machine, and its messages are encoded and decoded by the production
 *       codec. That yields the costs of steps, by kind of message.
 *   <li>Some points are run in processes, which yields throughput and the processor time of servers
 *       and clients by committed transaction.
 *   <li>What the steps do not explain of that time is divided over turns of event loops and frames,
 *       as the simulated twins of those points count them, by least squares; a factor on the steps
 *       is found with it. The twins are run again with the new costs, a few times.
 * </ol>
 */
public final class Calibrator {
  /** The method in the words of the file. */
  static final String METHOD =
      "Steps, encoding and decoding: timed with the wall clock by kind of message while the system"
          + " runs the workload in virtual time. Event loops and frames, and a factor on the steps:"
          + " least squares over the processor time that servers and clients of real runs in"
          + " processes took by committed transaction. See docs/simulation.md.";

  private static final int FITTING_ROUNDS = 3;
  private static final double GAUGE_WARMUP_SECONDS = 1;
  private static final double TWIN_SECONDS = 2;
  private static final double TWIN_WARMUP_SECONDS = 0.5;

  /** What is assumed of a step as long as nothing is known, in nanoseconds. */
  private static final double UNKNOWN_NANOS = 2_000;

  private final double seconds;
  private final Progress progress;
  private final Consumer<String> log;
  private final int cores = Runtime.getRuntime().availableProcessors();

  /**
   * @param seconds how long each real run is measured, after a warm-up of half of that
   * @param log is told how far it is, in lines
   */
  public Calibrator(double seconds, Progress progress, Consumer<String> log) {
    this.seconds = seconds;
    this.progress = progress;
    this.log = log;
  }

  private record Measured(CalibrationPoint point, Outcome real) {}

  /** The names of the workloads that there are. */
  public static List<String> workloads() {
    return CalibrationPlan.workloads();
  }

  /**
   * Measures everything.
   *
   * @param systems whose steps are measured
   * @param workloads on which they are
   * @param fitting the systems whose real runs decide what event loops and frames cost
   * @param comparing the systems that are run in both ways at further points
   * @param records records of real runs of Retwis in processes, made before, to fit by instead of
   *     making such runs now; empty to make them
   * @param remarks what there is to say of the circumstances
   * @throws IllegalArgumentException when there is no such workload
   */
  public Calibration calibrate(
      List<TransactionSystem> systems,
      List<String> workloads,
      List<TransactionSystem> fitting,
      List<TransactionSystem> comparing,
      List<Path> records,
      String remarks)
      throws InterruptedException {
    List<CalibrationPoint> gauged = CalibrationPlan.gauged(systems, workloads);
    if (!records.isEmpty()) {
      List<Measured> recorded =
          records.stream()
              .map(file -> new Measured(RecordedRun.point(file), RecordedRun.outcome(file)))
              .toList();
      return calibrate(gauged, recorded, List.of(), remarks);
    }
    return calibrate(
        gauged,
        real(CalibrationPlan.fitted(fitting)),
        real(CalibrationPlan.compared(comparing)),
        remarks);
  }

  private Calibration calibrate(
      List<CalibrationPoint> gauged, List<Measured> fitting, List<Measured> others, String remarks)
      throws InterruptedException {
    Map<String, Map<String, SystemCosts>> costs = new TreeMap<>();
    for (CalibrationPoint point : gauged) {
      Workload workload = point.workload().get();
      log.accept("steps of " + point.described());
      costs
          .computeIfAbsent(point.system(), system -> new TreeMap<>())
          .put(workload.name(), gauge(point));
    }
    Calibration calibration =
        new Calibration(
            METHOD,
            remarks,
            Environment.facts(),
            new TransportCosts(5_000, 1_000, 3_000, 3_000, 3_000, 1),
            costs,
            List.of());
    for (int round = 0; round < FITTING_ROUNDS; round++) {
      calibration = calibration.with(fit(calibration, fitting));
      log.accept("fitted: " + calibration.transport());
    }
    List<Measured> all = new ArrayList<>(fitting);
    all.addAll(others);
    return new Calibration(
        calibration.method(),
        remarks,
        calibration.environment(),
        calibration.transport(),
        costs,
        compare(calibration, all));
  }

  private SystemCosts gauge(CalibrationPoint point) throws InterruptedException {
    KindCost unknown = new KindCost(UNKNOWN_NANOS, UNKNOWN_NANOS, UNKNOWN_NANOS);
    PlaceCosts place = new PlaceCosts(Map.of(), unknown, UNKNOWN_NANOS, UNKNOWN_NANOS);
    Calibration provisional =
        new Calibration(
            METHOD,
            "",
            Map.of(),
            new TransportCosts(5_000, 1_000, 5_000, 5_000, 5_000, 1),
            Map.of(
                point.system(),
                Map.of(point.workload().get().name(), new SystemCosts(place, place))),
            List.of());
    Gauge gauge = new Gauge();
    SimulatedExperiment.Ran unused =
        simulated(point, provisional, GAUGE_WARMUP_SECONDS, TWIN_SECONDS).run(progress, gauge);
    return gauge.costs();
  }

  private List<Measured> real(List<CalibrationPoint> points) throws InterruptedException {
    List<Measured> all = new ArrayList<>();
    for (CalibrationPoint point : points) {
      log.accept("real run of " + point.described());
      Report report =
          new Experiment(
                  point.workload().get(),
                  point.cluster(true),
                  point.run(seconds / 2, seconds),
                  true,
                  Map.of())
              .execute(progress);
      log.accept("  " + outcome(report));
      all.add(new Measured(point, outcome(report)));
    }
    return all;
  }

  private SimulatedExperiment simulated(
      CalibrationPoint point, Calibration calibration, double warmup, double window) {
    ClusterSettings cluster = point.cluster(false);
    return new SimulatedExperiment(
        point.workload().get(),
        cluster,
        SimulatedHosts.shared(cores),
        point.run(warmup, window),
        Backoff.patience(cluster),
        calibration,
        true,
        Map.of());
  }

  private SimulatedExperiment.Ran twin(Calibration calibration, CalibrationPoint point)
      throws InterruptedException {
    return simulated(point, calibration, TWIN_WARMUP_SECONDS, Math.min(seconds, TWIN_SECONDS))
        .run(progress, null);
  }

  private TransportCosts fit(Calibration calibration, List<Measured> measured)
      throws InterruptedException {
    List<double[]> rows = new ArrayList<>();
    List<Double> targets = new ArrayList<>();
    double scale = calibration.transport().scale();
    for (Measured one : measured) {
      SimulatedExperiment.Ran twin = twin(calibration, one.point);
      long commits =
          twin.report().transactions().values().stream().mapToLong(type -> type.committed()).sum();
      add(rows, targets, twin.servers(), commits, scale, one.real.serverCpuMicrosPerCommit());
      add(rows, targets, twin.clients(), commits, scale, one.real.clientCpuMicrosPerCommit());
    }
    double[] x =
        LeastSquares.solve(rows, targets.stream().mapToDouble(Double::doubleValue).toArray());
    // A handover wakes another loop, and is what a wake-up costs whoever asks for it.
    return new TransportCosts(
        round(x[1]), round(x[2]), round(x[3]), round(x[3]), round(x[3]), x[0]);
  }

  /** Every equation counts alike, so that it is the relative error that is minimised. */
  private static void add(
      List<double[]> rows,
      List<Double> targets,
      Usage usage,
      long commits,
      double scale,
      double realMicros) {
    double unit = commits * realMicros * 1_000;
    rows.add(
        new double[] {
          usage.workNanos / scale / unit,
          usage.wakes / unit,
          (usage.turns - usage.wakes) / unit,
          (usage.framesIn + usage.framesOut) / unit
        });
    targets.add(1.0);
  }

  private static double round(double nanos) {
    return Math.round(nanos);
  }

  private List<Comparison> compare(Calibration calibration, List<Measured> measured)
      throws InterruptedException {
    List<Comparison> all = new ArrayList<>();
    for (Measured one : measured) {
      Outcome real = one.real;
      Outcome simulated = outcome(twin(calibration, one.point).report());
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

  private static Outcome outcome(Report report) {
    double all = Objects.requireNonNull(report.cpuMicrosPerCommit(), "processor time");
    double clients = Objects.requireNonNull(report.clientCpuMicrosPerCommit(), "processor time");
    return new Outcome(
        report.committedPerSecond(),
        report.commitRate(),
        report.latencyMicros().p50(),
        report.latencyMicros().p99(),
        Math.round((all - clients) * 10) / 10.0,
        clients);
  }
}
