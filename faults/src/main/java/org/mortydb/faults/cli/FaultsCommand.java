package org.mortydb.faults.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.TerminalProgress;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.check.anomaly.Order;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.cli.DataDirectory;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.NamedValues;
import org.mortydb.cli.OutputOption;
import org.mortydb.cli.Requirement;
import org.mortydb.faults.nemesis.Fault;
import org.mortydb.faults.nemesis.FaultRun;
import org.mortydb.faults.nemesis.FaultsOptions;
import org.mortydb.faults.nemesis.FaultsReport;
import org.mortydb.faults.nemesis.Plant;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty faults}. */
@Command(
    name = "faults",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Runs Jepsen's workloads on processes that die, stop, and lose what they send.",
    description = {
      "",
      "Starts servers and clients as processes of this machine, with a relay between each two of"
          + " them. While clients work, servers are killed (SIGKILL) and started again, or stand"
          + " still (SIGSTOP), or come back without their data, relays lose what they carry, and"
          + " clients are killed amid their transactions. Then the faults end, all must go on, all"
          + " is read, and the history is judged. A fault that was planned and not seen, or too few"
          + " commits, make a run that shows nothing.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty faults --workload append --faults kill,pause,partition,client --history history.edn",
      "  morty faults --workload g2,set --faults kill --durability memory --seconds 60",
      "  morty faults --workload bank --plant split --faults partition    has to fail"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the histories are serializable, and all went on when the faults were over",
      "1:a history is not serializable, or something did not go on; logs and data are kept",
      "2:the command line is wrong",
      "3:the run has not shown what it should, or could not be run"
    })
final class FaultsCommand implements Callable<Integer> {
  private static final double MOST_SECONDS = 100_000;
  private static final int MOST_PARTITIONS = 1_024;
  private static final int MOST_F = 5;
  private static final int MOST_CLIENTS = 32;
  private static final int MOST_CONCURRENCY = 1_000;
  private static final int MOST_UNCERTAINTY_MILLIS = 1_000;
  private static final int LINEAR_UNCERTAINTY_MILLIS = 2;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "NAME",
      defaultValue = "append",
      converter = CheckCommand.WorkloadNames.class,
      completionCandidates = CheckCommand.WorkloadNames.class,
      description = {
        "What clients do, several at the same time if several are named: ${COMPLETION-CANDIDATES}"
            + " (default: ${DEFAULT-VALUE})."
      })
  private List<HistoryCheck> workloads = List.of();

  @Option(
      names = "--faults",
      split = ",",
      paramLabel = "NAME",
      defaultValue = "kill,pause,partition,client",
      description = {
        "What goes wrong, or 'none': kill, pause, partition, disk, client (default:"
            + " ${DEFAULT-VALUE})."
      })
  private List<String> faults = List.of();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "20",
      description = {
        "How long things go wrong (default: ${DEFAULT-VALUE}); up to four times as long on a"
            + " machine so busy that not every fault was seen by then, or fewer than --min-ok"
            + " committed."
      })
  private double seconds = 20;

  @Option(
      names = "--fault-every",
      paramLabel = "S",
      defaultValue = "1.5",
      description = {
        "Seconds from the beginning of a fault to that of the next on average, each half to one"
            + " and a half as long (default: ${DEFAULT-VALUE})."
      })
  private double faultEvery = 1.5;

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description = {
        "Writes the history to FILE, as Jepsen does to history.edn. With several workloads the name"
            + " of each is put before the first point of FILE's name."
      })
  private @Nullable Path history;

  @Option(
      names = "--f",
      paramLabel = "N",
      defaultValue = "1",
      description = "Failures tolerated; there are 2f+1 servers (default: ${DEFAULT-VALUE}).")
  private int f = 1;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "2",
      description = "Partitions of the keys, on every server (default: ${DEFAULT-VALUE}).")
  private int partitions = 2;

  @Option(
      names = "--durability",
      paramLabel = "MODE",
      defaultValue = "sync",
      description = {
        "'sync', 'async' or 'memory', as for servers. With 'memory' no more than f are down"
            + " at a time, else now and then all (default: ${DEFAULT-VALUE})."
      })
  private String durability = "sync";

  @Option(
      names = "--clock-uncertainty",
      paramLabel = "MS",
      description = {
        "How wrong any clock may be, in milliseconds up to 1000, which commits wait out; histories"
            + " are held to strict serializability then. All processes share this machine's clock,"
            + " so that 1 is true. 0 for no wait (default: 2 if 'linear' is among the workloads,"
            + " which needs it, else 0)."
      })
  private @Nullable Integer clockUncertainty;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = {
        "The directory on whose disk servers store, in a new folder that is deleted at the end"
            + " (default: that for temporary files)."
      })
  private @Nullable Path data;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "2",
      description = "Client processes (default: ${DEFAULT-VALUE}).")
  private int clients = 2;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      defaultValue = "12",
      description = "Operations under way at a time at most (default: ${DEFAULT-VALUE}).")
  private int concurrency = 12;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "300",
      description = "Operations begun per second at most (default: ${DEFAULT-VALUE}).")
  private double rate = 300;

  @Option(
      names = "--min-ok",
      paramLabel = "N",
      defaultValue = "200",
      description = {
        "Operations of each workload that must have committed (default: ${DEFAULT-VALUE})."
      })
  private long minOk = 200;

  @Option(
      names = "--recovery",
      paramLabel = "S",
      defaultValue = "15",
      description = {
        "Seconds within which every workload must commit again once all servers serve, and all must"
            + " be readable (default: ${DEFAULT-VALUE})."
      })
  private double recovery = 15;

  @Option(
      names = "--plant",
      paramLabel = "NAME",
      defaultValue = "none",
      converter = Plants.class,
      completionCandidates = Plants.class,
      description = {
        "Has clients deceive the test, which then has to fail: ${COMPLETION-CANDIDATES} (default:"
            + " ${DEFAULT-VALUE}). 'split' runs transactions in pieces, 'forget' rolls one of"
            + " twenty back and calls it committed, 'misreport' commits one of twenty and calls it"
            + " failed."
      })
  private Plant plant = Plant.NONE;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "Decides what is drawn: operations, faults, whom they hit (default: ${DEFAULT-VALUE})."
            + " Timing is not part of it."
      })
  private long seed = 1;

  @Option(
      names = "--server-jvm",
      paramLabel = "OPTIONS",
      defaultValue =
          "-Xms64m -Xmx384m -XX:+UseSerialGC -XX:+UseCompactObjectHeaders"
              + " --enable-native-access=ALL-UNNAMED",
      description = "Options of the servers' JVMs, in one argument (default: ${DEFAULT-VALUE}).")
  private String serverJvm = "";

  @Mixin private OutputOption output = new OutputOption();

  @Override
  public Integer call() throws InterruptedException {
    FaultsReport report = faultRun().execute(TerminalProgress.onStandardError());
    output.print(spec.commandLine(), report, report::text);
    return !report.valid() ? ExitCode.VIOLATION : report.shown() ? ExitCode.OK : ExitCode.FAILED;
  }

  private FaultRun faultRun() {
    CommandLine command = spec.commandLine();
    within(seconds, MOST_SECONDS, "--seconds");
    within(faultEvery, MOST_SECONDS, "--fault-every");
    within(recovery, MOST_SECONDS, "--recovery");
    within(rate, MOST_SECONDS, "--rate");
    within(f, MOST_F, "--f");
    within(partitions, MOST_PARTITIONS, "--partitions");
    within(clients, MOST_CLIENTS, "--clients");
    within(concurrency, MOST_CONCURRENCY, "--concurrency");
    Requirement.that(minOk >= 1, command, "--min-ok must be at least 1, is " + minOk);
    Requirement.that(
        workloads.stream().distinct().count() == workloads.size(),
        command,
        "--workload names one twice: " + workloads);
    Requirement.that(
        concurrency >= workloads.size() * clients,
        command,
        "--concurrency must be at least %d, one for each workload and client, is %d"
            .formatted(workloads.size() * clients, concurrency));
    Requirement.that(
        List.of("sync", "async", "memory").contains(durability),
        command,
        "--durability must be 'sync', 'async' or 'memory', is '" + durability + "'");
    Requirement.that(
        !durability.equals("memory") || !faults().contains(Fault.DISK),
        command,
        "--faults disk: with --durability memory nothing is stored, and a server that is killed has"
            + " forgotten all: leave disk out, or choose sync or async");
    int commitWait = commitWaitMillis();
    Path disk = DataDirectory.of(data, !durability.equals("memory"), command);
    ClusterSettings cluster =
        new ClusterSettings(
            f,
            partitions,
            OptionalLong.empty(),
            false,
            durability,
            durability.equals("memory") ? null : disk,
            true,
            1,
            List.of(serverJvm.strip().split("\\s+")),
            1,
            1,
            commitWait > 0
                ? Map.of("server.replica.clock-uncertainty", commitWait + "ms")
                : Map.of());
    FaultsOptions options =
        new FaultsOptions(
            workloads,
            faults(),
            seconds,
            faultEvery,
            clients,
            concurrency,
            rate,
            minOk,
            recovery,
            seed,
            plant,
            commitWait > 0 ? Order.REAL_TIME : Order.NONE);
    return new FaultRun(options, cluster, histories(), settings());
  }

  private int commitWaitMillis() {
    boolean linear = workloads.contains(HistoryCheck.LINEAR);
    Integer chosen = clockUncertainty;
    int millis = chosen != null ? chosen : linear ? LINEAR_UNCERTAINTY_MILLIS : 0;
    Requirement.that(
        millis >= 0 && millis <= MOST_UNCERTAINTY_MILLIS,
        spec.commandLine(),
        "--clock-uncertainty must be from 0 to %d milliseconds, is %d"
            .formatted(MOST_UNCERTAINTY_MILLIS, millis));
    Requirement.that(
        millis > 0 || !linear,
        spec.commandLine(),
        "--workload linear asks for more than serializability, which only commits that wait give:"
            + " leave --clock-uncertainty 0 out, or make it 1 or more");
    return millis;
  }

  private void within(double value, double most, String option) {
    Requirement.that(
        value > 0 && value <= most,
        spec.commandLine(),
        "%s must be greater than 0 and at most %.0f, is %s".formatted(option, most, value));
  }

  private Set<Fault> faults() {
    Set<Fault> chosen = EnumSet.noneOf(Fault.class);
    for (String name : faults) {
      boolean known = name.equals("none");
      for (Fault fault : Fault.values()) {
        if (fault.toString().equals(name)) {
          chosen.add(fault);
          known = true;
        }
      }
      Requirement.that(
          known,
          spec.commandLine(),
          "--faults: '" + name + "' is none of kill, pause, partition, disk, client, none");
    }
    return chosen;
  }

  /** Where each workload's history goes. */
  private Map<HistoryCheck, Path> histories() {
    Path file = history;
    Map<HistoryCheck, Path> files = new LinkedHashMap<>();
    if (file == null) {
      return files;
    }
    Path folder = file.toAbsolutePath().getParent();
    Requirement.that(
        folder != null && Files.isDirectory(folder),
        spec.commandLine(),
        "--history names a file in a folder that does not exist: " + folder);
    String name = file.getFileName().toString();
    int point = name.indexOf('.') < 0 ? name.length() : name.indexOf('.');
    for (HistoryCheck workload : workloads) {
      files.put(
          workload,
          workloads.size() == 1
              ? file
              : file.resolveSibling(
                  name.substring(0, point) + "-" + workload + name.substring(point)));
    }
    return files;
  }

  private Map<String, @Nullable Object> settings() {
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    settings.put("workloads", workloads.stream().map(HistoryCheck::toString).toList());
    settings.put("faults", faults);
    settings.put("seconds", seconds);
    settings.put("faultEvery", faultEvery);
    settings.put("f", f);
    settings.put("partitions", partitions);
    settings.put("durability", durability);
    settings.put("clockUncertaintyMillis", commitWaitMillis());
    settings.put("clients", clients);
    settings.put("concurrency", concurrency);
    settings.put("rate", rate);
    settings.put("minOk", minOk);
    settings.put("recovery", recovery);
    settings.put("plant", plant.toString());
    settings.put("seed", seed);
    settings.put("serverJvm", serverJvm);
    return settings;
  }

  /** Plants by their names. */
  static final class Plants extends NamedValues<Plant> {
    Plants() {
      super(Plant.values());
    }
  }
}
