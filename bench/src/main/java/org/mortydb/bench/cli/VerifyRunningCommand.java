package org.mortydb.bench.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.experiment.DeployedExperiment;
import org.mortydb.bench.experiment.Patience;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.ReportTable;
import org.mortydb.bench.verify.Probing;
import org.mortydb.cli.ClusterFileOptions;
import org.mortydb.cli.FailedException;
import org.mortydb.cli.Json;
import org.mortydb.cli.OutputFormat;
import org.mortydb.cli.Requirement;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.RunOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty verify running}. */
@Command(
    name = "running",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Runs a short workload on a cluster, and checks that its history is serializable.",
    description = {
      "",
      "The workload has clients in all regions, and few records, so that its transactions"
          + " conflict. Its records are in a key space of its own, whose name is drawn, and are"
          + " deleted at the end; others' transactions only notice the load, which --clients"
          + " bounds. With TLS the client needs the right to write.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty verify running --config deploy/example/cluster.conf",
      "  morty verify running --config cluster.conf --seconds 60 --clients 4"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the history is serializable",
      "1:it is not",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot be reached, nothing could be committed, or the records are still there"
    })
final class VerifyRunningCommand implements Callable<Integer> {
  private static final double MOST_SECONDS = 86_400;
  private static final int MOST_CLIENTS = 1_024;
  private static final double WARMUP_SECONDS = 0.5;
  private static final int RECORDS = 24;
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "5",
      description = "How long it runs (default: ${DEFAULT-VALUE}).")
  private double seconds = 5;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "12",
      description = "Transactions that run at a time (default: ${DEFAULT-VALUE}).")
  private int clients = 12;

  @Option(
      names = "--output",
      paramLabel = "FORM",
      defaultValue = "text",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output = OutputFormat.TEXT;

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.that(
        seconds > 0 && seconds <= MOST_SECONDS,
        command,
        "--seconds must be greater than 0 and at most " + MOST_SECONDS + ", is " + seconds);
    Requirement.that(
        clients >= 1 && clients <= MOST_CLIENTS,
        command,
        "--clients must be 1 to " + MOST_CLIENTS + ", is " + clients);
    ClusterConfig config = cluster.cluster(command);
    String region = cluster.region(config, command);
    Probing probing = new Probing(RECORDS);
    Report report;
    try {
      report = run(config, probing);
    } finally {
      cleanUp(config, region, probing);
    }
    PrintWriter out = command.getOut();
    out.print(output == OutputFormat.JSON ? Json.text(report) + "\n" : ReportTable.of(report));
    out.flush();
    if (!(report.committedPerSecond() > 0)) {
      throw new FailedException("no transaction could be committed");
    }
    return WorkloadCommand.exitCode(report);
  }

  private Report run(ClusterConfig config, Probing probing) throws InterruptedException {
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    settings.put("cluster", config.name());
    settings.put("system", config.system().name());
    settings.put("keySpace", probing.space());
    settings.put("clients", clients);
    settings.put("seconds", seconds);
    RunOptions run =
        new RunOptions(
            clients, OptionalDouble.empty(), Arrivals.POISSON, WARMUP_SECONDS, seconds, 1);
    return new DeployedExperiment(
            probing,
            config,
            config.regions(),
            1,
            run,
            true,
            settings,
            Patience.of(Patience.retries(config.system(), 0)),
            0)
        .execute(TerminalProgress.onStandardError());
  }

  private static void cleanUp(ClusterConfig config, String region, Probing probing) {
    try (MortyClient client =
        MortyClient.connect(
            config, ClientOptions.inRegion(region).withConnectTimeout(CONNECT_TIMEOUT))) {
      probing.cleanUp(client);
    }
  }
}
