package org.mortydb.faults.cli;

import java.util.Map;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import org.mortydb.faults.kit.FaultReport;
import org.mortydb.faults.soak.Soak;
import org.mortydb.faults.soak.SoakOptions;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.retwis.Retwis;
import org.mortydb.workloads.sampling.Sampler;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code morty soak}. */
@Command(
    name = "soak",
    header = "Kills servers and clients under load, and checks that nothing is lost.",
    description = {
      "",
      "Runs Retwis on server processes of this machine. Kills one of them (SIGKILL) again and again"
          + " and starts it again; with --durability sync it sometimes kills all at once. Closes"
          + " clients in the middle of their transactions. At the end it reads all records and"
          + " replays the whole history in one serial order, which must explain every value that"
          + " was read.",
      ""
    },
    exitCodeList = {
      "0:the history is serializable and nothing is lost",
      "1:the history is not serializable, or something is lost; logs and data are kept",
      "2:the command line is wrong",
      "3:the run failed: a server ended by itself or does not serve, or nothing commits"
    })
final class SoakCommand extends FaultCommand {
  private static final NumberRange CHECKPOINT_LOG = NumberRange.of(1, 2_047);
  private static final int MOST_SEGMENT = 64;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "10",
      description = "Minutes that faults last; 0.5 is half a minute (default: ${DEFAULT-VALUE}).")
  private double minutes = 10;

  @Option(
      names = "--kill-every",
      paramLabel = "S",
      defaultValue = "10",
      description = {
        "Average seconds between two kills; each interval is half to one and a half times as long"
            + " (default: ${DEFAULT-VALUE})."
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
  private double wipeShare;

  @Option(
      names = "--checkpoint-log",
      paramLabel = "MIB",
      description = {
        "MiB by which a log grows before the server writes a checkpoint and cuts the log: 1 to 2047"
            + " (default: ${DEFAULT-VALUE}, so that it happens within a soak)."
      })
  private int checkpointLog = 32;

  @Option(
      names = "--clients",
      paramLabel = "N",
      description = "Transactions that run at a time (default: ${DEFAULT-VALUE}).")
  private int clients = 32;

  @Option(
      names = "--keys",
      paramLabel = "N",
      description = "Keys in all, six per user (default: ${DEFAULT-VALUE}).")
  private int keys = 10_000;

  @Option(
      names = "--zipf",
      paramLabel = "THETA",
      description = "Zipf exponent of the users' popularity, such as 0.9 (default: 0, uniform).")
  private double zipf;

  @Mixin private ServerOptions servers = new ServerOptions(1);

  SoakCommand() {
    super("-Xms64m -Xmx512m" + SMALL_JVM);
  }

  @Override
  FaultReport run(Progress progress) throws InterruptedException {
    require("--minutes", minutes, SECONDS);
    require("--kill-every", killEvery, SECONDS);
    require("--wipe-share", wipeShare, NumberRange.SHARE);
    require("--checkpoint-log", checkpointLog, CHECKPOINT_LOG);
    require("--clients", clients, NumberRange.POSITIVE);
    require("--keys", keys, KEYS);
    require("--zipf", zipf, Sampler.EXPONENTS);
    Requirement.that(
        wipeShare == 0 || servers.stores(),
        command(),
        "--wipe-share needs --durability sync or async: with memory there is nothing to wipe");
    // Logs are cut by whole segments, which must be shorter than what is to be cut.
    int segment = Math.clamp(checkpointLog / 4, 1, MOST_SEGMENT);
    ClusterSettings cluster =
        servers.cluster(
            command(),
            0,
            serverJvm(),
            Map.of(
                "server.storage.checkpoint-log", checkpointLog + " MiB",
                "server.storage.segment", segment + " MiB"));
    SoakOptions options = new SoakOptions(minutes * 60, killEvery, wipeShare, clients, seed());
    return new Soak(new Retwis(keys, zipf), cluster, options, settings()).execute(progress);
  }
}
