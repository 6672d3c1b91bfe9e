package org.mortydb.experiments.chain;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.simulated.Calibration;
import org.mortydb.bench.simulated.SimulatedExperiment;
import org.mortydb.bench.simulated.SimulatedHosts;
import org.mortydb.config.ClusterConfig;
import org.mortydb.experiments.chain.ChainCollector.Observed;
import org.mortydb.experiments.chain.ChainRecord.Bounds;
import org.mortydb.protocol.model.Key;
import org.mortydb.workloads.load.LoadFailedException;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.Rounded;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.Workload;

/**
 * Runs a workload in virtual time, and takes the chain of its hottest key apart.
 *
 * @param workload the workload in its initial state
 * @param cluster the settings of the cluster
 * @param hosts the machines, not shared
 * @param run the load
 * @param calibration the processor costs
 * @param key the key; null for the one with the most updates
 * @param detailed how many steps are recorded with all their events
 * @param settings the settings in the record
 */
public record ChainStudy(
    Workload workload,
    ClusterSettings cluster,
    SimulatedHosts hosts,
    RunOptions run,
    Calibration calibration,
    @Nullable Key key,
    int detailed,
    Map<String, @Nullable Object> settings) {

  /**
   * Below this distance of ids from the clock, in microseconds, there are no slots: it comes from
   * ids that must ascend.
   */
  private static final double LEAST_OFFSET_MICROS = 250;

  /**
   * Runs the workload.
   *
   * @throws LoadFailedException if a transaction cannot run at all, or the key has no two updates
   */
  public ChainRecord execute(Progress progress) throws InterruptedException {
    ChainCollector collector = new ChainCollector();
    Report report =
        new SimulatedExperiment(
                workload,
                cluster,
                hosts,
                run,
                RetryDefaults.of(cluster),
                calibration,
                true,
                Map.of())
            .execute(progress, collector);
    Observed observed = collector.observed();
    Key chosen = key != null ? key : Members.hottest(observed);
    if (chosen == null) {
      throw new LoadFailedException(
          "no update committed within the measured time, so there is no chain: use a longer"
              + " --seconds");
    }
    Chain chain = Chain.of(observed, chosen);
    if (chain.steps().isEmpty()) {
      throw new LoadFailedException(
          "key '%s' has %d updates within the measured time, and none that read from another: use a longer --seconds, or another --key"
              .formatted(chosen, chain.updates()));
    }
    return record(report, chain);
  }

  private ChainRecord record(Report report, Chain chain) {
    List<Step> steps = chain.steps();
    return new ChainRecord(
        ChainRecord.EXPERIMENT,
        settings,
        report.committedPerSecond(),
        report.commitRate(),
        report.serializable(),
        chain.key().toString(),
        chain.updates(),
        Rounded.to(1, chain.updatesPerSecond()),
        bounds(chain),
        Rounded.to(4, chain.crossingShare()),
        Rounded.to(4, chain.nanos() / (chain.seconds() * 1e9)),
        chain.separated(),
        chain.empty(),
        Rounded.to(2, (double) chain.reexecutions() / chain.updates()),
        Rounded.to(2, (double) chain.prepares() / chain.updates()),
        chain.aborted(),
        ChainSummary.lengths(steps, Step::nanos),
        ChainSummary.lengths(steps.stream().filter(Step::crosses).toList(), Step::nanos),
        ChainSummary.lengths(
            steps.stream().filter(step -> !step.crosses() && !step.forwarded()).toList(),
            Step::nanos),
        ChainSummary.lengths(steps.stream().filter(Step::forwarded).toList(), Step::nanos),
        ChainSummary.parts(chain),
        ChainSummary.obstacles(chain),
        ChainSummary.steps(chain, detailed));
  }

  /** What the mean delay between the regions with clients allows. */
  private Bounds bounds(Chain chain) {
    ClusterConfig config = cluster.config();
    int regions = cluster.clientRegions();
    double sum = 0;
    for (int from = 0; from < regions; from++) {
      for (int to = 0; to < regions; to++) {
        if (from != to) {
          long micros =
              config.delays().micros(config.regions().get(from), config.regions().get(to));
          sum += micros == 0 ? hosts.localMicros() : micros;
        }
      }
    }
    double local = 2.0 * hosts.localMicros();
    double delay = regions == 1 ? local : sum / (regions * (regions - 1));
    return Bounds.of(regions, Rounded.to(1, delay), local, slotMicros(config, chain));
  }

  /**
   * The length of slots. Ids are spread evenly over a cycle around their slot, by (R - 1) / 2 slots
   * at most to either side, so half of that on average.
   */
  private double slotMicros(ClusterConfig config, Chain chain) {
    if (!config.regionSlots().adaptive()) {
      return config.regionSlots().lengthMicros();
    }
    int regions = config.regions().size();
    return chain.offsetMicros() < LEAST_OFFSET_MICROS || regions == 1
        ? 0
        : Rounded.to(0, chain.offsetMicros() * 4 / (regions - 1));
  }
}
