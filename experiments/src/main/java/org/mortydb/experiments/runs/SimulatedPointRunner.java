package org.mortydb.experiments.runs;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.DelayFile;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.simulated.Calibration;
import org.mortydb.bench.simulated.SimulatedExperiment;
import org.mortydb.bench.simulated.SimulatedHosts;
import org.mortydb.experiments.plan.Point;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.UnfilledWorkload;
import org.mortydb.workloads.load.Workload;

/**
 * Runs points in virtual time. Points with {@code cores} have a machine for each server and an
 * equal one for the clients of each region. Other points have one machine, like real points, with
 * as many processors as the calibrated one. Thread-safe.
 */
public final class SimulatedPointRunner implements PointRunner {
  private final Supplier<Calibration> calibration;
  private final Saturations saturations = new Saturations();

  /**
   * @param calibration the processor costs, read for each point
   */
  public SimulatedPointRunner(Supplier<Calibration> calibration) {
    this.calibration = calibration;
  }

  @Override
  public Report run(Point point, Progress progress) throws InterruptedException {
    Calibration costs = calibration.get();
    SimulatedHosts hosts = hosts(point, costs);
    ClusterSettings cluster = RealPointRunner.cluster(point, false, null);
    Workload workload = point.workload().create(point.seed());
    SimulatedExperiment experiment =
        new SimulatedExperiment(
            point.filled() ? workload : new UnfilledWorkload(workload),
            cluster,
            hosts,
            RealPointRunner.options(point),
            point.transactionOptions(),
            costs,
            true,
            settings(point, cluster, hosts));
    return saturations.remember(
        point, experiment.executeAll(saturations.series(point), progress).getFirst());
  }

  private static SimulatedHosts hosts(Point point, Calibration costs) {
    Integer cores = point.cores();
    DelayFile delays = point.delays();
    return cores == null
        ? SimulatedHosts.shared(costs.processors())
        : delays == null
            ? SimulatedHosts.apart(cores)
            : new SimulatedHosts(false, cores, 1, cores, delays.withinRegionMicros());
  }

  private static Map<String, @Nullable Object> settings(
      Point point, ClusterSettings cluster, SimulatedHosts hosts) {
    Map<String, @Nullable Object> settings =
        new LinkedHashMap<>(RealPointRunner.settings(point, cluster));
    settings.put("oneMachine", hosts.shared());
    settings.put("machineCores", hosts.cores());
    return settings;
  }
}
