package org.mortydb.faults.cli;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.check.anomaly.Order;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.cli.NamedValues;
import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import org.mortydb.faults.kit.FaultReport;
import org.mortydb.faults.nemesis.Fault;
import org.mortydb.faults.nemesis.FaultRun;
import org.mortydb.faults.nemesis.FaultRunOptions;
import org.mortydb.faults.nemesis.PlantedError;
import org.mortydb.workloads.load.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code morty faults}. */
@Command(
    name = "faults",
    header = "Runs Jepsen's workloads on processes that die, pause, and lose messages.",
    description = {
      "",
      "Starts servers and clients as processes of this machine, with a relay between each two of"
          + " them. While clients work, it kills servers (SIGKILL) and starts them again, pauses"
          + " them (SIGSTOP), deletes their data, drops what relays carry, and kills clients in the"
          + " middle of their transactions. Then the faults end, all workloads must continue, all"
          + " keys are read, and the histories are judged. A run shows nothing if a planned fault"
          + " was not seen or too few operations committed.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty faults --workload append --faults kill,pause,partition,client --history history.edn",
      "  morty faults --faults kill,change",
      "  morty faults --workload g2,set --faults kill --durability memory --seconds 60",
      "  morty faults --workload bank --plant split --faults partition    must fail"
    },
    exitCodeList = {
      "0:the histories are serializable, and everything made progress after the faults",
      "1:a history is not serializable, or something made no progress; logs and data are kept",
      "2:the command line is wrong",
      "3:the run did not show what it should, or could not be run"
    })
final class FaultsCommand extends FaultCommand {
  private static final String NONE = "none";
  private static final NumberRange UNCERTAINTY_MILLIS = NumberRange.of(0, 1_000);
  private static final int LINEAR_UNCERTAINTY_MILLIS = 2;

  /** Half of the age that the bounded reads of the workload 'levels' ask for. */
  private static final int LEVELS_LAG_MILLIS = 1_000;

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "NAME",
      defaultValue = "append",
      converter = CheckCommand.WorkloadNames.class,
      completionCandidates = CheckCommand.WorkloadNames.class,
      description = {
        "The workloads of the clients, several at the same time if several are named:"
            + " ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})."
      })
  private List<HistoryCheck> workloads = List.of();

  @Option(
      names = "--faults",
      split = ",",
      paramLabel = "NAME",
      defaultValue = "kill,pause,partition,client",
      description = {
        "The faults: kill, pause, partition, disk, client, change; or 'none' (default:"
            + " ${DEFAULT-VALUE})."
      })
  private List<String> faults = List.of();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "20",
      description = {
        "Seconds that faults last (default: ${DEFAULT-VALUE}); up to four times as long on a busy"
            + " machine, until every fault was seen and --min-ok operations committed."
      })
  private double seconds = 20;

  @Option(
      names = "--fault-every",
      paramLabel = "S",
      description = {
        "Average seconds from the start of a fault to the start of the next; each interval is half"
            + " to one and a half times as long (default: ${DEFAULT-VALUE})."
      })
  private double faultEvery = 1.5;

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description = {
        "Writes the history to FILE, in the form of Jepsen's history.edn. With several workloads"
            + " the name of each is put before the first point of FILE's name."
      })
  private @Nullable Path history;

  @Option(
      names = "--clock-uncertainty",
      paramLabel = "MS",
      description = {
        "How wrong a clock may be: 0 to 1000 milliseconds. Commits wait it out, and histories must"
            + " then be strictly serializable. All processes share this machine's clock, so 1 is"
            + " true (default: 2 if 'linear' is among the workloads, which needs it; else 0, no"
            + " wait)."
      })
  private @Nullable Integer clockUncertainty;

  @Option(
      names = "--clients",
      paramLabel = "N",
      description = "Client processes (default: ${DEFAULT-VALUE}).")
  private int clients = 2;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "Operations in flight at most (default: ${DEFAULT-VALUE}).")
  private int concurrency = 12;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "300",
      description = "Operations started per second at most (default: ${DEFAULT-VALUE}).")
  private double rate = 300;

  @Option(
      names = "--min-ok",
      paramLabel = "N",
      description = {
        "Operations of each workload that must have committed (default: ${DEFAULT-VALUE})."
      })
  private long minOk = 200;

  @Option(
      names = "--recovery",
      paramLabel = "S",
      defaultValue = "15",
      description = {
        "Seconds after which every workload must have committed again once all servers serve, and"
            + " all keys must be readable (default: ${DEFAULT-VALUE})."
      })
  private double recovery = 15;

  @Option(
      names = "--plant",
      paramLabel = "NAME",
      defaultValue = NONE,
      converter = PlantedErrors.class,
      completionCandidates = PlantedErrors.class,
      description = {
        "Plants an error in the clients, so that the run must fail: ${COMPLETION-CANDIDATES}"
            + " (default: ${DEFAULT-VALUE}). 'split' runs transactions in pieces, 'forget' rolls"
            + " one in twenty back and reports it as committed, 'misreport' commits one in twenty"
            + " and reports it as failed."
      })
  private PlantedError planted = PlantedError.NONE;

  @Mixin private ServerOptions servers = new ServerOptions(2);

  FaultsCommand() {
    super("-Xms64m -Xmx384m" + SMALL_JVM);
  }

  @Override
  FaultReport run(Progress progress) throws InterruptedException {
    require("--seconds", seconds, SECONDS);
    require("--fault-every", faultEvery, SECONDS);
    require("--recovery", recovery, SECONDS);
    require("--rate", rate, NumberRange.above(0, 100_000));
    require("--clients", clients, NumberRange.of(1, 32));
    require("--min-ok", minOk, NumberRange.POSITIVE);
    Requirement.that(
        workloads.stream().distinct().count() == workloads.size(),
        command(),
        "--workload names one twice: " + workloads);
    // Each workload needs a thread on each client.
    require("--concurrency", concurrency, NumberRange.of(workloads.size() * clients, 1_000));
    Set<Fault> chosen = faults();
    Requirement.that(
        servers.stores() || !chosen.contains(Fault.DISK),
        command(),
        "--faults disk: with --durability memory nothing is stored, so a killed server has"
            + " forgotten all: leave disk out, or choose sync or async");
    Map<HistoryCheck, Path> histories = histories();
    int commitWait = commitWaitMillis();
    ClusterSettings cluster =
        servers.cluster(command(), 1, serverJvm(), serverSettings(commitWait, chosen));
    FaultRunOptions options =
        new FaultRunOptions(
            workloads,
            chosen,
            seconds,
            faultEvery,
            clients,
            concurrency,
            rate,
            minOk,
            recovery,
            seed(),
            planted,
            commitWait > 0 ? Order.REAL_TIME : Order.NONE);
    Map<String, @Nullable Object> settings = settings();
    settings.put("clockUncertainty", commitWait);
    return new FaultRun(options, cluster, histories, settings).execute(progress);
  }

  private Map<String, String> serverSettings(int commitWait, Set<Fault> chosen) {
    Map<String, String> settings = new LinkedHashMap<>();
    if (commitWait > 0) {
      settings.put("server.replica.clock-uncertainty", commitWait + "ms");
    }
    if (workloads.contains(HistoryCheck.LEVELS)) {
      settings.put("server.replica.watermark-lag", LEVELS_LAG_MILLIS + "ms");
    }
    if (chosen.contains(Fault.CHANGE)) {
      settings.put("cluster.changes", "true");
    }
    return settings;
  }

  private int commitWaitMillis() {
    boolean linear = workloads.contains(HistoryCheck.LINEAR);
    Integer chosen = clockUncertainty;
    int millis = chosen != null ? chosen : linear ? LINEAR_UNCERTAINTY_MILLIS : 0;
    require("--clock-uncertainty", millis, UNCERTAINTY_MILLIS);
    Requirement.that(
        millis > 0 || !linear,
        command(),
        "--workload linear asks for more than serializability, which only commits that wait give:"
            + " leave --clock-uncertainty 0 out, or make it 1 or more");
    return millis;
  }

  private Set<Fault> faults() {
    Set<Fault> chosen = EnumSet.noneOf(Fault.class);
    for (String name : faults) {
      List<Fault> named =
          Arrays.stream(Fault.values()).filter(fault -> fault.toString().equals(name)).toList();
      Requirement.that(
          !named.isEmpty() || name.equals(NONE),
          command(),
          "--faults: '" + name + "' is none of kill, pause, partition, disk, client, change, none");
      chosen.addAll(named);
    }
    return chosen;
  }

  /** The file of each workload's history. */
  private Map<HistoryCheck, Path> histories() {
    Requirement.writable(command(), "--history", history);
    Map<HistoryCheck, Path> files = new LinkedHashMap<>();
    if (history != null) {
      String name = history.getFileName().toString();
      int point = name.indexOf('.') < 0 ? name.length() : name.indexOf('.');
      for (HistoryCheck workload : workloads) {
        String infix = workloads.size() == 1 ? "" : "-" + workload;
        files.put(
            workload,
            history.resolveSibling(name.substring(0, point) + infix + name.substring(point)));
      }
    }
    return files;
  }

  /** Planted errors by their names. */
  static final class PlantedErrors extends NamedValues<PlantedError> {
    PlantedErrors() {
      super(PlantedError.values());
    }
  }
}
