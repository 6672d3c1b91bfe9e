package org.mortydb.bench.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.Experiment;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.experiment.WatermarkLag;
import org.mortydb.bench.figure.FigureFailedException;
import org.mortydb.bench.figure.TimelineChart;
import org.mortydb.bench.fleet.FleetExperiment;
import org.mortydb.bench.report.LoadTable;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.ReportTable;
import org.mortydb.bench.simulated.SimulatedExperiment;
import org.mortydb.bench.simulated.SimulatedHosts;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.FailedException;
import org.mortydb.cli.JsonOption;
import org.mortydb.cli.Requirement;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;
import org.mortydb.config.NumberRange;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.workloads.WorkloadChoice;
import org.mortydb.workloads.WorkloadPlugin;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.Saturation;
import org.mortydb.workloads.load.Style;
import org.mortydb.workloads.load.Workload;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty bench NAME}: runs a workload, with the options of its plug-in. */
@Command(
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the run was measured, and no check found a violation",
      "1:the history is not serializable, or a condition of the workload does not hold",
      "2:the command line is wrong",
      "3:the run failed"
    })
final class WorkloadCommand implements Callable<Integer> {
  private static final String COURSE =
      "Starts a cluster of three regions on this machine, fills it, warms up and measures. Then"
          + " checks that the history of all clients is serializable and that the workload's"
          + " conditions hold.";

  private static final String CLUSTER = "%nCluster:%n";
  private static final int MOST_PORT = 65_535;
  private static final String SIMULATION = "%nSimulation:%n";

  private final WorkloadPlugin plugin;

  @Spec private CommandSpec spec = CommandSpec.create();

  @ArgGroup(heading = "%nLoad:%n", validate = false, order = 2)
  private LoadOptions load = new LoadOptions();

  @ArgGroup(heading = CLUSTER, validate = false, order = 3)
  private ClusterOptions cluster = new ClusterOptions();

  @ArgGroup(heading = "%nRunning cluster:%n", validate = false, order = 4)
  private ConnectOptions running = new ConnectOptions();

  @ArgGroup(heading = "%nHosts:%n", validate = false, order = 4)
  private AgentsOption agents = new AgentsOption();

  @ArgGroup(heading = SIMULATION, validate = false, order = 5)
  private SimulationOptions simulation = new SimulationOptions();

  @ArgGroup(heading = "%nResult:%n", validate = false, order = 6)
  private ResultOptions result = new ResultOptions();

  private WorkloadCommand(WorkloadPlugin plugin) {
    this.plugin = plugin;
  }

  /** The command of a workload. */
  static CommandLine commandLine(WorkloadPlugin plugin) {
    CommandSpec spec = CommandSpec.forAnnotatedObject(new WorkloadCommand(plugin));
    spec.name(plugin.name());
    WorkloadOptions.addTo(spec, List.of(plugin), 1);
    spec.usageMessage()
        .header(WorkloadOptions.literal(plugin.summary()))
        .description(
            "",
            WorkloadOptions.literal(plugin.description()),
            "",
            WorkloadOptions.literal(COURSE),
            "")
        .footer(
            Stream.concat(
                    Stream.of("", "Examples:"),
                    plugin.examples().stream()
                        .map(
                            example ->
                                "  morty bench "
                                    + plugin.name()
                                    + " "
                                    + WorkloadOptions.literal(example)))
                .toArray(String[]::new));
    return new CommandLine(spec);
  }

  /** The options of the result. */
  static final class ResultOptions extends JsonOption {
    @Option(
        names = "--no-check",
        description =
            "Keep no history, and check neither the history nor the workload's conditions.")
    boolean noCheck;

    @Option(
        names = "--plot",
        paramLabel = "FILE",
        description = {
          "Also draws latency over time, with the pauses of servers and clients, to FILE as SVG;"
              + " with several rates to one file for each, FILE with '-1', '-2' and so on before"
              + " its ending."
        })
    @Nullable Path plot;

    /** Checks before a long run that the files can be written. */
    void checkFiles(CommandLine command) {
      check(command);
      Requirement.writable(command, "--plot", plot);
    }

    /** Draws the loads if a file is named. */
    void draw(List<Report> loads, CommandLine command) {
      Path file = plot;
      if (file == null) {
        return;
      }
      for (int i = 0; i < loads.size(); i++) {
        Path one = loads.size() == 1 ? file : numbered(file, i + 1);
        try {
          Files.writeString(one, TimelineChart.of(loads.get(i)));
        } catch (IOException e) {
          throw new FailedException("--plot: cannot write " + one + ": " + e.getMessage(), e);
        } catch (FigureFailedException e) {
          throw new FailedException("--plot: " + e.getMessage(), e);
        }
        command.getOut().println("plot: " + one);
      }
      command.getOut().flush();
    }

    /** The file of one of several loads. */
    static Path numbered(Path file, int number) {
      String name = String.valueOf(file.getFileName());
      int dot = name.lastIndexOf('.');
      int end = dot < 0 ? name.length() : dot;
      return file.resolveSibling(name.substring(0, end) + "-" + number + name.substring(end));
    }

    @Option(
        names = "--metrics-port",
        paramLabel = "PORT",
        description = {
          "During the run, serve the clients' metrics for Prometheus at"
              + " http://127.0.0.1:PORT/metrics; docs/reference/metrics.md explains them (default:"
              + " nowhere)."
        })
    @Nullable Integer metricsPort;

    /** The port; 0 for none. */
    int metricsPort(CommandLine command, boolean simulated) {
      Integer port = metricsPort;
      if (port == null) {
        return 0;
      }
      Requirement.within(command, "--metrics-port", port, NumberRange.of(1, MOST_PORT));
      Requirement.that(
          !simulated, command, "--metrics-port needs real clients: leave it out with --simulated");
      return port;
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    List<Report> loads = execute(TerminalProgress.onStandardError());
    Report first = loads.getFirst();
    boolean several = load.rates.size() > 1;
    spec.commandLine().getOut().print(several ? LoadTable.of(loads) : ReportTable.of(first));
    spec.commandLine().getOut().flush();
    result.write(several ? new Loads(first.saturation(), loads) : first);
    result.draw(loads, spec.commandLine());
    return exitCode(first); // the loads share the checks
  }

  /**
   * The record of several loads on one cluster.
   *
   * @param saturation how the saturated rate was found; null if no rate is a share of it
   * @param loads the record of each load, in order
   */
  private record Loads(@Nullable Saturation saturation, List<Report> loads) {}

  private List<Report> execute(TerminalProgress progress) throws InterruptedException {
    CommandLine command = spec.commandLine();
    result.checkFiles(command);
    running.check(command, optionsForOwnCluster());
    Requirement.that(
        !(running.isGiven() && agents.isGiven()),
        command,
        "--connect and --agents exclude each other");
    LoadSeries series = load.series(command);
    RunOptions run = series.options();
    int metricsPort = result.metricsPort(command, simulation.simulated);
    WorkloadChoice choice = WorkloadOptions.choice(command, plugin);
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    load.addTo(settings, run);
    settings.putAll(choice.settings());
    if (running.isGiven()) {
      return running
          .experiment(
              command,
              choice.create(run.seed()),
              cluster.clientLoops,
              run,
              !result.noCheck,
              settings,
              load,
              metricsPort)
          .executeAll(series, progress);
    }
    if (agents.isGiven()) {
      return onHosts(choice, series, settings, progress);
    }
    ClusterSettings given =
        simulation.simulated ? cluster.simulatedSettings(command) : cluster.settings(command);
    TransactionSystem system = TransactionSystems.named(given.system());
    ReadLevel level = load.readLevel(command, system);
    long uncertaintyMicros = ReplicaOptions.DEFAULTS.clockUncertaintyMicros();
    LoadOptions.requireKept(command, level, WatermarkLag.LEAST_MICROS, uncertaintyMicros);
    Workload workload = choice.create(run.seed());
    LoadOptions.requireMerges(command, workload, system);
    ClusterSettings clusterSettings =
        LoadOptions.withLag(workload.merges() ? given.forMerges() : given, level);
    TransactionOptions transaction =
        RetryDefaults.of(clusterSettings)
            .withReadLevel(level)
            .withDurability(load.durability(command, clusterSettings.durability()));
    cluster.addTo(settings, clusterSettings);
    settings.put("check", !result.noCheck);
    RetryPolicy retry = transaction.retry();
    settings.put("backoffMicros", retry.baseMicros());
    settings.put("backoffCapMicros", retry.capMicros());
    if (!simulation.simulated) {
      return new Experiment(workload, clusterSettings, run, !result.noCheck, settings, transaction)
          .withMetricsPort(metricsPort)
          .executeAll(series, progress);
    }
    SimulationOptions.check(command, clusterSettings);
    Requirement.that(
        run.style() == Style.CONTINUATIONS,
        command,
        "--simulated has no threads for bodies: leave --style out");
    SimulatedHosts machines = simulation.hosts(command, cluster.delayFile(command));
    simulation.addTo(settings, machines);
    return new SimulatedExperiment(
            simulation.workload(command, workload),
            clusterSettings,
            machines,
            run,
            transaction,
            simulation.calibration(),
            !result.noCheck,
            settings)
        .executeAll(series, progress);
  }

  private List<Report> onHosts(
      WorkloadChoice choice,
      LoadSeries series,
      Map<String, @Nullable Object> settings,
      TerminalProgress progress)
      throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.that(
        !simulation.simulated, command, "--agents has real servers: leave --simulated out");
    Requirement.that(
        load.readOnlyLevel == null,
        command,
        "--read-only-level is for clients in this process: leave it out with --agents");
    Requirement.that(
        load.transactionDurability == null,
        command,
        "--transaction-durability is for clients in this process: leave it out with --agents");
    Requirement.that(
        result.metricsPort == null,
        command,
        "--metrics-port is for clients in this process: leave it out with --agents");
    ClusterSettings given = cluster.settingsOnHosts(command);
    LoadOptions.requireMerges(
        command, choice.create(series.options().seed()), TransactionSystems.named(given.system()));
    Path folder = cluster.directory(cluster.stores(), command);
    try (AgentsOption.Hosts hosts =
        Objects.requireNonNull(agents.hosts(command, given.regionCount(), folder))) {
      ClusterSettings onHosts = given.withTls(hosts.file().encrypt());
      cluster.addTo(settings, onHosts);
      settings.put("check", !result.noCheck);
      RetryPolicy retry = FleetExperiment.retry(hosts.file(), onHosts);
      settings.put("backoffMicros", retry.baseMicros());
      settings.put("backoffCapMicros", retry.capMicros());
      return new FleetExperiment(
              hosts.file(), choice, onHosts, !result.noCheck, settings, RetryDefaults.of(retry))
          .executeAll(series, progress);
    }
  }

  private List<OptionSpec> optionsForOwnCluster() {
    return spec.argGroups().stream()
        .filter(group -> CLUSTER.equals(group.heading()) || SIMULATION.equals(group.heading()))
        .flatMap(group -> group.options().stream())
        .toList();
  }

  /** The exit code: a violation if the history or the records are wrong. */
  static int exitCode(Report report) {
    boolean wrong =
        Boolean.FALSE.equals(report.serializable()) || Boolean.FALSE.equals(report.consistent());
    return wrong ? ExitCode.VIOLATION : ExitCode.OK;
  }
}
