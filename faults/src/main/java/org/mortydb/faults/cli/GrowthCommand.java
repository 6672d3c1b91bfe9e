package org.mortydb.faults.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ServerJvm;
import org.mortydb.bench.figure.FigureFailedException;
import org.mortydb.cli.FailedException;
import org.mortydb.cli.PersistenceOptions;
import org.mortydb.cli.Requirement;
import org.mortydb.config.Durability;
import org.mortydb.config.NumberRange;
import org.mortydb.faults.growth.Growth;
import org.mortydb.faults.growth.GrowthOptions;
import org.mortydb.faults.growth.GrowthReport;
import org.mortydb.faults.kit.FaultReport;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.retwis.Retwis;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code morty growth}. */
@Command(
    name = "growth",
    header = "Grows, moves and shrinks a cluster under load, and checks that nothing is lost.",
    description = {
      "",
      "Runs Retwis at a given rate on server processes of this machine. Three servers become six,"
          + " one partition becomes several, f becomes 2 and 1 again, all servers are replaced by"
          + " others, and three leave. Servers are killed in between (SIGKILL). A bystander, a"
          + " client that takes no part in the changes, measures how long it has to wait. At the"
          + " end the run reads all records and replays the whole history in one serial order,"
          + " which must explain every value that was read.",
      ""
    },
    exitCodeList = {
      "0:the history is serializable, nothing is lost, and all changes are complete",
      "1:the history is not serializable, or something is lost; logs and data are kept",
      "2:the command line is wrong",
      "3:the run failed: a server does not serve, a change is not carried out, or the load ended"
          + " before all changes had"
    })
final class GrowthCommand extends FaultCommand {
  private static final NumberRange PARTITIONS = NumberRange.of(2, 64);

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "10",
      description = {
        "Minutes that the load lasts; all changes have to end within it (default:"
            + " ${DEFAULT-VALUE})."
      })
  private double minutes = 10;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "200",
      description = "Transactions that begin per second (default: ${DEFAULT-VALUE}).")
  private double rate = 200;

  @Option(
      names = "--clients",
      paramLabel = "N",
      description = "Transactions that run at a time at most (default: ${DEFAULT-VALUE}).")
  private int clients = 64;

  @Option(
      names = "--keys",
      paramLabel = "N",
      description = "Keys in all, six per user (default: ${DEFAULT-VALUE}).")
  private int keys = 10_000;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description = "How many partitions the one becomes (default: ${DEFAULT-VALUE}).")
  private int partitions = 8;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = {
        "Draws throughput and latency over time, with the changes and kills, as SVG into FILE."
      })
  private @Nullable Path plot;

  @Option(
      names = "--founders",
      paramLabel = "DIR",
      description = {
        "The jars of an older release, such as the folder 'lib' of its archive. The first servers"
            + " run it, and those that replace them run this release. Then the version of the"
            + " cluster is raised, as by 'morty upgrade finish' (default: all run this release,"
            + " and the version stays)."
      })
  private @Nullable Path founders;

  @Mixin private StorageOptions storage = new StorageOptions();

  /** Collections that stop a server would be among the pauses, so servers run as deployed. */
  GrowthCommand() {
    super("-Xms64m -Xmx512m " + ServerJvm.AS_DEPLOYED);
  }

  /** What servers store. */
  static final class StorageOptions extends PersistenceOptions {
    StorageOptions() {
      super(Durability.SYNC);
    }
  }

  @Override
  FaultReport run(Progress progress) throws InterruptedException {
    require("--minutes", minutes, SECONDS);
    require("--rate", rate, NumberRange.above(0, 100_000));
    require("--clients", clients, NumberRange.of(1, 10_000));
    require("--keys", keys, KEYS);
    require("--partitions", partitions, PARTITIONS);
    Requirement.writable(command(), "--plot", plot);
    String older = olderProgram();
    Requirement.that(
        storage.stores(),
        command(),
        "--durability memory: servers that are killed would have forgotten all: choose sync or"
            + " async");
    ClusterSettings cluster =
        ClusterSettings.ofProcesses(
            1,
            1,
            false,
            storage.durability(),
            storage.directory(command()),
            1,
            serverJvm(),
            Map.of("cluster.changes", "true"));
    GrowthOptions growth =
        new GrowthOptions(minutes * 60, rate, clients, partitions, seed(), older);
    GrowthReport report =
        new Growth(new Retwis(keys, 0), cluster, growth, settings()).execute(progress);
    draw(report);
    return report;
  }

  /** The class path of the founders' program; null if it is this one. */
  private @Nullable String olderProgram() {
    Path folder = founders;
    if (folder == null) {
      return null;
    }
    Requirement.that(
        holdsJars(folder),
        command(),
        "--founders: there are no jars in " + folder + ": name the folder 'lib' of an archive");
    return folder.toAbsolutePath().resolve("*").toString();
  }

  private static boolean holdsJars(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.anyMatch(file -> file.toString().endsWith(".jar"));
    } catch (IOException e) {
      return false;
    }
  }

  private void draw(GrowthReport report) {
    Path file = plot;
    if (file != null) {
      try {
        Files.writeString(file, report.svg());
      } catch (IOException | FigureFailedException e) {
        throw new FailedException("cannot draw " + file + ": " + e.getMessage(), e);
      }
    }
  }
}
