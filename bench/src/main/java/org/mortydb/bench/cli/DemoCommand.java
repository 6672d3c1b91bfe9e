package org.mortydb.bench.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.bench.experiment.DeployedExperiment;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.ReportTable;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import org.mortydb.config.ServerSpec;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.retwis.Retwis;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty demo}. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Runs a cluster of three regions under load, with its live page.",
    description = {
      "",
      "Starts three server processes on this machine, with a delay between their regions. Runs a"
          + " small social network on them, whose users differ in popularity, so that transactions"
          + " conflict. Prints the address of the live page, and commands to try in another"
          + " terminal. At the end it prints the measurements, and whether the whole history was"
          + " serializable. Leaves no files behind.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty demo",
      "  morty demo --duration 600 --delay 80        longer, and farther away",
      "  morty demo --clients 0                      a cluster to play with, without load"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the history was serializable",
      "1:the history is not serializable",
      "2:the command line is wrong",
      "3:the cluster failed",
      "130:interrupted (Ctrl-C); the servers have ended as well"
    })
final class DemoCommand implements Callable<Integer> {
  private static final double MOST_SECONDS = 86_400;
  private static final double MOST_DELAY_MILLIS = 1_000;
  private static final int PARTITIONS = 3;
  private static final double ZIPF = 0.9;
  private static final double WARMUP_SHARE = 0.2;
  private static final double LONGEST_WARMUP = 10;
  private static final long CHECK_MILLIS = 500;
  private static final String SERVER_JVM =
      "-Xms64m -Xmx512m -XX:+UseSerialGC -XX:+UseCompactObjectHeaders"
          + " --enable-native-access=ALL-UNNAMED";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--duration",
      paramLabel = "S",
      defaultValue = "120",
      description = "The duration in seconds (default: ${DEFAULT-VALUE}).")
  private double duration = 120;

  @Option(
      names = "--delay",
      paramLabel = "MS",
      defaultValue = "30",
      description =
          "The one-way delay between regions in milliseconds (default: ${DEFAULT-VALUE}).")
  private double delay = 30;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "48",
      description = {
        "The number of concurrent transactions over all regions; 0 for no load (default:"
            + " ${DEFAULT-VALUE})."
      })
  private int clients = 48;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "6000",
      description =
          "The number of keys, six per user. Fewer keys mean more conflicts (default:"
              + " ${DEFAULT-VALUE}).")
  private int keys = 6_000;

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.within(command, "--duration", duration, NumberRange.above(0, MOST_SECONDS));
    Requirement.within(command, "--delay", delay, NumberRange.of(0, MOST_DELAY_MILLIS));
    Requirement.within(command, "--clients", clients, NumberRange.NOT_NEGATIVE);
    Retwis workload = workload(command);
    ClusterSettings settings = settings();
    try (ProcessCluster servers = ProcessCluster.startWithAdmin(settings)) {
      explain(servers);
      if (clients == 0) {
        idle(servers);
        return ExitCode.OK;
      }
      Report report = load(workload, servers, settings);
      PrintWriter out = command.getOut();
      out.println();
      out.print(ReportTable.of(report));
      out.flush();
      return WorkloadCommand.exitCode(report);
    }
  }

  private Retwis workload(CommandLine command) {
    try {
      return new Retwis(keys, ZIPF);
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(command, e.getMessage(), e);
    }
  }

  private ClusterSettings settings() {
    return new ClusterSettings(
        1,
        PARTITIONS,
        OptionalLong.of(Math.round(delay * 1_000)),
        false,
        "memory",
        null,
        true,
        1,
        List.of(SERVER_JVM.split(" ")),
        3,
        1,
        Map.of());
  }

  private void explain(ProcessCluster servers) {
    PrintWriter out = spec.commandLine().getOut();
    List<ServerSpec> specs = servers.config().servers();
    out.printf(
        Locale.ROOT,
        "Three servers run in three regions, %s ms apart, for %s s (Ctrl-C ends them earlier).%n%n",
        number(delay),
        number(duration));
    out.printf("Live page:  http://%s/%n", specs.getFirst().admin());
    for (ServerSpec other : specs.subList(1, specs.size())) {
      out.printf("            http://%s/ of %s%n", other.admin(), other.name());
    }
    out.println();
    if (clients > 0) {
      out.println("What it shows:");
      out.println("  - curves: many re-executions per commit, but hardly any aborts");
      out.println("  - hot keys: each bar is a transaction, dark from its read to its write; the");
      out.println("    dark bars of a key follow one another, which limits the key's throughput");
      out.println("  - map: each commit takes one round trip between the regions");
      out.println();
    }
    out.println("Try in another terminal:");
    out.printf("  export MORTY_CONFIG=%s%n", servers.configFile());
    out.println("  bin/morty status");
    out.println("  bin/morty shell");
    long last = servers.processes().getLast().pid();
    out.printf("  kill -STOP %d; sleep 10; kill -CONT %d    # %s pauses%n", last, last, "server-3");
    out.println();
    out.flush();
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.valueOf((long) value)
        : String.format(Locale.ROOT, "%.1f", value);
  }

  private void idle(ProcessCluster servers) throws InterruptedException {
    long end = System.nanoTime() + (long) (duration * 1e9);
    while (System.nanoTime() < end) {
      servers.check();
      long restMillis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()) + 1;
      Thread.sleep(Math.clamp(restMillis, 1, CHECK_MILLIS));
    }
  }

  private Report load(Retwis workload, ProcessCluster servers, ClusterSettings settings)
      throws InterruptedException {
    double warmup = Math.min(LONGEST_WARMUP, WARMUP_SHARE * duration);
    RunOptions run =
        new RunOptions(
            clients, OptionalDouble.empty(), Arrivals.POISSON, warmup, duration - warmup, 1);
    Map<String, @Nullable Object> options = new LinkedHashMap<>();
    options.put("clients", clients);
    options.put("keys", keys);
    options.put("zipf", ZIPF);
    options.put("delayMillis", delay);
    return new DeployedExperiment(
            workload,
            servers.config(),
            servers.config().regions(),
            1,
            run,
            true,
            options,
            RetryDefaults.of(settings),
            0)
        .execute(TerminalProgress.onStandardError());
  }
}
