package org.mortydb.peers;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.TerminalProgress;
import org.mortydb.bench.cli.WorkloadOptions;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ServerJvm;
import org.mortydb.bench.experiment.Experiment;
import org.mortydb.bench.experiment.Reports;
import org.mortydb.bench.report.Report;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.JsonOption;
import org.mortydb.cli.Requirement;
import org.mortydb.config.DidYouMean;
import org.mortydb.config.NumberRange;
import org.mortydb.peers.cassandra.CassandraPeer;
import org.mortydb.peers.cassandra.OneShotTransfer;
import org.mortydb.peers.etcd.EtcdPeer;
import org.mortydb.peers.etcd.EtcdRelease;
import org.mortydb.peers.process.Peer;
import org.mortydb.workloads.WorkloadChoice;
import org.mortydb.workloads.WorkloadPlugins;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.Workload;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty peers}. */
@Command(
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Runs the same workload on other stores and on Morty, one after another.",
    description = {
      "",
      "Each run starts three durable replicas on the loopback interface, fills them, warms up and"
          + " measures. Then it checks the history and the workload's conditions, stops the"
          + " replicas and deletes their data. With --rounds the systems take turns.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty peers etcd morty --data /var/tmp                      Retwis, once on each",
      "  morty peers etcd etcd-3.6 --data /var/tmp --rounds 3        two versions of etcd",
      "  morty peers etcd cassandra morty --data /var/tmp --workload retwis,transfer --rounds 3"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all runs were measured, and no check found a violation",
      "1:a history is not serializable, or a condition of a workload does not hold",
      "2:the command line is wrong",
      "3:a run failed"
    })
final class PeersCommand implements Callable<Integer> {
  /** The stores. Their names on the command line are {@link #toString}. */
  enum Store {
    ETCD(EtcdRelease.INSTALLED),
    ETCD_3_6(EtcdRelease.LINE_3_6),
    ETCD_3_7(EtcdRelease.LINE_3_7),
    CASSANDRA("cassandra", CassandraPeer::checkInstalled, CassandraPeer::start),
    MORTY("morty", () -> {}, null);

    private final String label;
    private final Runnable find;
    private final @Nullable Starter starter;

    Store(EtcdRelease release) {
      this(release.toString(), release::find, data -> EtcdPeer.start(release, data));
    }

    /**
     * @param find throws {@link org.mortydb.bench.cluster.ClusterFailedException} if the store's
     *     program is missing
     * @param starter starts the store; null for Morty
     */
    Store(String label, Runnable find, @Nullable Starter starter) {
      this.label = label;
      this.find = find;
      this.starter = starter;
    }

    @Override
    public String toString() {
      return label;
    }
  }

  /** Starts another store with its data in a directory. */
  @FunctionalInterface
  private interface Starter {
    Peer start(Path data) throws InterruptedException;
  }

  /** The transfer in one round of CQL, in addition to the installed workloads. */
  private static final String ONE_SHOT = "oneshot";

  private static final String TRANSFER = "transfer";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "STORE",
      arity = "1..*",
      description = "The stores, in the order of the runs: ${COMPLETION-CANDIDATES}.")
  private List<Store> stores = List.of();

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "NAME",
      defaultValue = "retwis",
      description = {
        "Installed workloads, separated by commas (default: ${DEFAULT-VALUE}). 'oneshot' is the"
            + " transfer as one statement of CQL, only for Cassandra."
      })
  private List<String> loads = List.of("retwis");

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "1",
      description = "The number of runs of each store (default: ${DEFAULT-VALUE}).")
  private int rounds = 1;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "64",
      description =
          "The number of concurrent transactions, in a closed loop (default: ${DEFAULT-VALUE}).")
  private int clients = 64;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "10",
      description = "The seconds before the measurement (default: ${DEFAULT-VALUE}).")
  private double warmup = 10;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "20",
      description = "The seconds of the measurement (default: ${DEFAULT-VALUE}).")
  private double seconds = 20;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The seed of all random choices (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = {
        "The directory for the replicas' data. Each run uses a new folder and deletes it at its"
            + " end."
      })
  private Path data = Path.of(".");

  @Mixin private final JsonOption json = new JsonOption();

  @Option(
      names = "--no-check",
      description = "Keep no history, and check neither the history nor the workload's conditions.")
  private boolean noCheck;

  /** The command line, with the options of all installed workloads. */
  static CommandLine commandLine() {
    CommandSpec spec = CommandSpec.forAnnotatedObject(new PeersCommand());
    WorkloadOptions.addTo(spec, WorkloadPlugins.installed(), 1);
    return new CommandLine(spec);
  }

  @Override
  public Integer call() throws InterruptedException {
    validate();
    stores.forEach(store -> store.find.run()); // before the others have run for minutes
    PrintWriter out = spec.commandLine().getOut();
    TerminalProgress progress = TerminalProgress.onStandardError();
    List<Report> reports = new ArrayList<>();
    for (String load : loads) {
      for (int round = 1; round <= rounds; round++) {
        for (Store store : stores) {
          if (load.equals(ONE_SHOT) && store != Store.CASSANDRA) {
            continue;
          }
          spec.commandLine().getErr().printf("%s on %s, round %d%n", load, store, round);
          Report report = run(store, load, round, progress);
          reports.add(report);
          out.print(PeersTable.line(report));
          out.flush();
          json.write(reports); // so that results survive the failure of a later run
        }
      }
    }
    out.print(PeersTable.of(reports));
    out.flush();
    return reports.stream().anyMatch(PeersCommand::isWrong) ? ExitCode.VIOLATION : ExitCode.OK;
  }

  private static boolean isWrong(Report report) {
    return Boolean.FALSE.equals(report.serializable()) || Boolean.FALSE.equals(report.consistent());
  }

  private void validate() {
    Requirement.within(spec.commandLine(), "--rounds", rounds, NumberRange.POSITIVE);
    Requirement.within(spec.commandLine(), "--clients", clients, NumberRange.POSITIVE);
    Requirement.within(spec.commandLine(), "--warmup", warmup, NumberRange.NOT_NEGATIVE);
    Requirement.within(spec.commandLine(), "--seconds", seconds, NumberRange.above(0));
    require(Files.isDirectory(data), "--data must be an existing directory, not '" + data + "'");
    json.check(spec.commandLine());
    for (String load : loads) {
      require(
          load.equals(ONE_SHOT) || WorkloadPlugins.names().contains(load),
          "--workload: unknown workload '"
              + load
              + "'"
              + DidYouMean.hint(load, WorkloadPlugins.names()));
      var unused = workload(load);
    }
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), otherwise);
    }
  }

  private WorkloadChoice choice(String load) {
    return WorkloadOptions.choice(
        spec.commandLine(), WorkloadPlugins.named(load.equals(ONE_SHOT) ? TRANSFER : load));
  }

  /** Creates a workload for one run. */
  private Workload workload(String load) {
    WorkloadChoice choice = choice(load);
    if (!load.equals(ONE_SHOT)) {
      return choice.create(seed);
    }
    return new OneShotTransfer(
        (Integer) Objects.requireNonNull(choice.options().get("accounts")),
        (Double) Objects.requireNonNull(choice.options().get("zipf")));
  }

  private Report run(Store store, String load, int round, TerminalProgress progress)
      throws InterruptedException {
    RunOptions run =
        new RunOptions(clients, OptionalDouble.empty(), Arrivals.POISSON, warmup, seconds, seed);
    Map<String, @Nullable Object> settings = settings(load, round);
    if (store.starter != null) {
      try (Peer peer = store.starter.start(data)) {
        return new PeerRun(workload(load), peer, run, !noCheck, settings).execute(progress);
      }
    }
    settings.put("replicas", 3);
    settings.put("durability", "sync: the log is forced before a vote or an outcome is sent");
    settings.put("order", "timestamps");
    settings.put("serverJvm", ServerJvm.MEASURED);
    return new Experiment(workload(load), morty(), run, !noCheck, settings).execute(progress);
  }

  private ClusterSettings morty() {
    return ClusterSettings.ofProcesses(1, 1, false, "sync", data, 0, ServerJvm.MEASURED, Map.of());
  }

  private Map<String, @Nullable Object> settings(String load, int round) {
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    settings.put("clients", clients);
    settings.put(Reports.LOOP, Reports.loop(false));
    settings.put("warmup", warmup);
    settings.put("seconds", seconds);
    settings.put("seed", seed);
    settings.put("round", round);
    settings.putAll(choice(load).settings());
    settings.put("processes", true);
    settings.put("check", !noCheck);
    return settings;
  }
}
