package org.mortydb.faults.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.TerminalProgress;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.cli.DataDirectory;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.JsonFile;
import org.mortydb.cli.Requirement;
import org.mortydb.faults.soak.Soak;
import org.mortydb.faults.soak.SoakOptions;
import org.mortydb.faults.soak.SoakReport;
import org.mortydb.faults.soak.SoakReport.Growth;
import org.mortydb.faults.soak.SoakReport.Resources;
import org.mortydb.workloads.retwis.Retwis;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code morty soak}. */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Kills servers and clients under load, and checks that nothing is lost.",
    description = {
      "",
      "Runs Retwis on three server processes. Again and again one of them is killed (SIGKILL) and"
          + " started again, with --durability sync now and then all at once, and clients are"
          + " closed in the midst of their transactions. At the end it reads all records and"
          + " replays the whole history in one serial order, which has to explain every value that"
          + " was read.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the history is serializable and nothing is lost",
      "1:the history is not serializable, or something is lost; logs and data are kept",
      "2:the command line is wrong",
      "3:the run failed: a server ended by itself or does not serve, or nothing commits"
    })
final class SoakCommand implements Callable<Integer> {
  private static final double MOST_MINUTES = 100_000;
  private static final int MOST_PARTITIONS = 1_024;
  private static final int MOST_CHECKPOINT_LOG = 2_047;
  private static final int MOST_SEGMENT = 64;
  private static final int MOST_KEYS = 300_000_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long; 0.5 is half a minute (default: ${DEFAULT-VALUE}).")
  private double minutes = 10;

  @Option(
      names = "--kill-every",
      paramLabel = "S",
      defaultValue = "10",
      description = {
        "Seconds between two kills on average, each half to one and a half as long (default:"
            + " ${DEFAULT-VALUE})."
      })
  private double killEvery = 10;

  @Option(
      names = "--wipe-share",
      paramLabel = "P",
      defaultValue = "0",
      description = {
        "Share of the killed servers, 0 to 1, that lose their data directory as well (default:"
            + " ${DEFAULT-VALUE})."
      })
  private double wipeShare = 0;

  @Option(
      names = "--durability",
      paramLabel = "MODE",
      defaultValue = "sync",
      description = "'sync', 'async' or 'memory', as for servers (default: ${DEFAULT-VALUE}).")
  private String durability = "sync";

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = {
        "The directory on whose disk servers store, in a new folder that is deleted at the end"
            + " (default: that for temporary files)."
      })
  private @Nullable Path data;

  @Option(
      names = "--checkpoint-log",
      paramLabel = "MIB",
      defaultValue = "32",
      description = {
        "The servers write a checkpoint, and cut their logs, whenever a log has grown by so much;"
            + " 1 to 2047 MiB (default: ${DEFAULT-VALUE}, so that it happens within a soak)."
      })
  private int checkpointLog = 32;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "32",
      description = "Transactions that run at a time (default: ${DEFAULT-VALUE}).")
  private int clients = 32;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Keys in all, six for each user (default: ${DEFAULT-VALUE}).")
  private int keys = 10_000;

  @Option(
      names = "--zipf",
      paramLabel = "THETA",
      defaultValue = "0",
      description = "Zipf exponent of the users' popularity, such as 0.9 (default: 0, uniform).")
  private double zipf;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "1",
      description = "Partitions of the keys, on every server (default: ${DEFAULT-VALUE}).")
  private int partitions = 1;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "Decides what is drawn: users, transactions, whom faults hit (default: ${DEFAULT-VALUE})."
            + " Timing is not part of it."
      })
  private long seed = 1;

  @Option(
      names = "--server-jvm",
      paramLabel = "OPTIONS",
      defaultValue =
          "-Xms64m -Xmx512m -XX:+UseSerialGC -XX:+UseCompactObjectHeaders"
              + " --enable-native-access=ALL-UNNAMED",
      description = "Options of the servers' JVMs, in one argument (default: ${DEFAULT-VALUE}).")
  private String serverJvm = "";

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also writes the result to FILE, as JSON.")
  private @Nullable Path json;

  @Override
  public Integer call() throws InterruptedException {
    SoakReport report = soak().execute(TerminalProgress.onStandardError());
    print(report);
    JsonFile.write(report, json);
    return report.clean() ? ExitCode.OK : ExitCode.VIOLATION;
  }

  private Soak soak() {
    CommandLine command = spec.commandLine();
    Requirement.that(
        minutes > 0 && minutes <= MOST_MINUTES,
        command,
        "--minutes must be greater than 0 and at most " + MOST_MINUTES + ", is " + minutes);
    Requirement.that(
        killEvery > 0 && killEvery <= MOST_MINUTES,
        command,
        "--kill-every must be greater than 0 and at most " + MOST_MINUTES + ", is " + killEvery);
    Requirement.that(
        wipeShare >= 0 && wipeShare <= 1, command, "--wipe-share must be 0 to 1, is " + wipeShare);
    Requirement.that(
        List.of("sync", "async", "memory").contains(durability),
        command,
        "--durability must be 'sync', 'async' or 'memory', is '" + durability + "'");
    Requirement.that(
        wipeShare == 0 || !durability.equals("memory"),
        command,
        "--wipe-share needs --durability sync or async: with memory there is nothing to wipe");
    Requirement.that(
        checkpointLog >= 1 && checkpointLog <= MOST_CHECKPOINT_LOG,
        command,
        "--checkpoint-log must be 1 to " + MOST_CHECKPOINT_LOG + " MiB, is " + checkpointLog);
    Requirement.that(clients >= 1, command, "--clients must be at least 1, is " + clients);
    Requirement.that(
        keys <= MOST_KEYS, command, "--keys must be at most " + MOST_KEYS + ", is " + keys);
    Requirement.that(
        partitions >= 1 && partitions <= MOST_PARTITIONS,
        command,
        "--partitions must be 1 to " + MOST_PARTITIONS + ", is " + partitions);
    JsonFile.check(json, command);
    Path disk = DataDirectory.of(data, !durability.equals("memory"), command);
    ClusterSettings cluster =
        new ClusterSettings(
            1,
            partitions,
            OptionalLong.empty(),
            false,
            durability,
            durability.equals("memory") ? null : disk,
            true,
            0,
            List.of(serverJvm.strip().split("\\s+")),
            1,
            1,
            Map.of(
                "server.storage.checkpoint-log", checkpointLog + " MiB",
                "server.storage.segment", segmentMib() + " MiB"));
    SoakOptions options = new SoakOptions(minutes * 60, killEvery, wipeShare, clients, seed);
    return new Soak(workload(command), cluster, options, settings());
  }

  private Retwis workload(CommandLine command) {
    try {
      return new Retwis(keys, zipf);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
  }

  /** Logs are cut by whole files, so these have to be shorter than what is to be cut. */
  private int segmentMib() {
    return Math.clamp(checkpointLog / 4, 1, MOST_SEGMENT);
  }

  private Map<String, @Nullable Object> settings() {
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    settings.put("minutes", minutes);
    settings.put("killEvery", killEvery);
    settings.put("wipeShare", wipeShare);
    settings.put("durability", durability);
    settings.put("data", data == null ? null : data.toString());
    settings.put("checkpointLogMib", checkpointLog);
    settings.put("segmentMib", segmentMib());
    settings.put("clients", clients);
    settings.put("keys", keys);
    settings.put("zipf", zipf);
    settings.put("partitions", partitions);
    settings.put("seed", seed);
    settings.put("serverJvm", serverJvm);
    return settings;
  }

  private void print(SoakReport report) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%,d transactions in %.0f s, commit rate %.3f, %,d of unknown outcome%n",
        report.transactions(),
        report.seconds(),
        report.commitRate(),
        report.unknownOutcomes());
    out.printf(
        Locale.ROOT,
        "%d kills, %d times all servers at once, %d wiped, %d joined again; %d clients lost,"
            + " %,d transactions recovered%n",
        report.kills(),
        report.totalFailures(),
        report.wipes(),
        report.rejoins(),
        report.clientDeaths(),
        report.recoveries());
    print(out, report.resources());
    report.check().explanations().forEach(explanation -> out.println("  " + explanation));
    out.printf(
        Locale.ROOT,
        "serializable: %s (%,d transactions, %,d reads), lost: %,d%n",
        report.serializable() ? "yes" : "NO",
        report.check().transactions(),
        report.check().reads(),
        report.lost());
    out.flush();
  }

  private static void print(PrintWriter out, Resources use) {
    Growth disk = use.disk();
    Growth heap = use.heap();
    out.printf(
        Locale.ROOT,
        "%s: largest of a server, first quarter to last: disk %s, heap after collection %s;"
            + " %d checkpoints%n",
        use.flat() == null ? "disk and heap not known" : use.flat() ? "flat" : "NOT FLAT",
        disk == null ? "not known" : text(disk),
        heap == null ? "not known" : text(heap),
        use.checkpoints());
  }

  private static String text(Growth growth) {
    return String.format(
        Locale.ROOT, "%.1f to %.1f MB", growth.firstQuarterMb(), growth.lastQuarterMb());
  }
}
