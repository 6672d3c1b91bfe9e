package org.mortydb.experiments.cli;

import java.util.List;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.simulated.SimulatedHosts;
import org.mortydb.experiments.claims.ClaimRunner;
import org.mortydb.experiments.windows.NominalCosts;
import org.mortydb.experiments.windows.WindowsRecord;
import org.mortydb.experiments.windows.WindowsStudy;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunOptions;
import picocli.CommandLine;

/** Measures windows as {@code morty windows} does with its default options. */
record DefaultWindows(CommandLine command) implements ClaimRunner.WindowsRunner {
  @Override
  public WindowsRecord run(List<String> systems, double seconds, Progress progress)
      throws InterruptedException {
    RetwisStudyOptions study = new RetwisStudyOptions();
    ClusterSettings cluster = study.cluster().simulatedSettings(command);
    SimulatedHosts hosts = study.hosts(command);
    RunOptions run = study.run(WindowsCommand.WARMUP_SECONDS, seconds);
    return new WindowsStudy(
            ignored -> study.workload(),
            cluster,
            hosts,
            run,
            NominalCosts.of("retwis"),
            study.settings(cluster, hosts, run, "nominal"))
        .execute(systems.stream().map(TransactionSystems::named).toList(), progress);
  }
}
