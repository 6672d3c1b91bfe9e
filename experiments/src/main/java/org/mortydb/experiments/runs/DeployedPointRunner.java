package org.mortydb.experiments.runs;

import java.nio.file.Path;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.fleet.AgentsFile;
import org.mortydb.bench.fleet.FleetExperiment;
import org.mortydb.bench.report.Report;
import org.mortydb.client.RetryPolicy;
import org.mortydb.experiments.plan.Point;
import org.mortydb.workloads.load.Progress;

/**
 * Runs points on the hosts of agents. A point that fails is tried again, because a host may restart
 * its agent.
 */
public final class DeployedPointRunner implements PointRunner {
  private static final int TRIES = 3;

  private final AgentsFile agents;
  private final Saturations saturations = new Saturations();

  /**
   * @param agents the agents of the hosts
   */
  public DeployedPointRunner(AgentsFile agents) {
    this.agents = agents;
  }

  @Override
  public int tries() {
    return TRIES;
  }

  @Override
  public Report run(Point point, Progress progress) throws InterruptedException {
    ClusterSettings cluster =
        RealPointRunner.cluster(
                point, true, point.durability().equals("memory") ? null : Path.of(""))
            .withTls(agents.encrypt());
    RetryPolicy given = point.retry();
    RetryPolicy retry = given != null ? given : FleetExperiment.retry(agents, cluster);
    FleetExperiment experiment =
        new FleetExperiment(
            agents,
            point.workload(),
            cluster,
            true,
            RealPointRunner.settings(point, cluster, retry),
            RetryDefaults.of(retry));
    return saturations.remember(
        point, experiment.executeAll(saturations.series(point), progress).getFirst());
  }
}
