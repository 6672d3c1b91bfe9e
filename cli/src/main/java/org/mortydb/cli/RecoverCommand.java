package org.mortydb.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.recover.Recovery;
import org.mortydb.cli.recover.ServerMemory;
import org.mortydb.cli.recover.StoppedServer;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.RememberedCluster;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.replica.Rollback;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;

/** {@code morty recover}. */
@Command(
    name = "recover",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Takes a cluster back after more than f servers lost votes or data.",
    description = {
      "",
      "Servers that have lost votes cannot serve, and more than f of them cannot rejoin. This"
          + " command takes the whole cluster back to the latest state that f+1 replicas of each"
          + " partition hold. Commits after that state are lost. With durability 'async', it is"
          + " about server.replica.retention before the power failure.",
      "",
      "Stop all servers first. Run the command on every machine: it writes a report for each server"
          + " there. Copy all reports into the folder on every machine. Run the command again on"
          + " every machine, with --accept-loss. Then start the servers.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty recover --config cluster.conf --reports reports",
      "  morty recover --config cluster.conf --reports reports --accept-loss"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the reports are written, or the servers here have gone back",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot or need not go back, or a directory or report cannot be used"
    })
final class RecoverCommand implements Callable<Integer> {
  /** A fence further ahead would keep the cluster from committing for longer than this. */
  private static final long MOST_MINUTES_AHEAD = 5;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();

  @Option(
      names = "--server",
      paramLabel = "NAME",
      description =
          "A server of this machine; may be repeated (default: all whose data directory is here)."
              + " A server without a directory gets an empty one.")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--reports",
      paramLabel = "DIR",
      required = true,
      description = "The folder of the reports; created if it is missing.")
  private Path reports = Path.of("");

  @Option(
      names = "--accept-loss",
      description =
          "Go back, and lose the commits after that state. Without it, the command only reports.")
  private boolean acceptLoss;

  @Override
  public Integer call() {
    CommandLine command = spec.commandLine();
    ClusterConfig config = cluster.stoppedCluster(command);
    Path data = config.storage().data();
    Requirement.that(data != null, command, "server.data is empty: no server has a directory");
    Path parent = data == null ? Path.of("") : data;
    Requirement.that(
        !Files.exists(reports) || Files.isDirectory(reports),
        command,
        "--reports: " + reports + " is a file, and must be a folder");
    List<StoppedServer> servers = new ArrayList<>();
    try {
      Recovery recovery = Recovery.of(config, reports, this::report);
      List<String> here = here(config, parent, recovery, command);
      Files.createDirectories(reports);
      open(config, here, parent, servers);
      run(recovery, servers, command.getOut());
      return ExitCode.OK;
    } catch (IOException | JacksonException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    } finally {
      servers.forEach(RecoverCommand::close);
    }
  }

  /** Opens all directories, or leaves each as much in doubt as it was. */
  private static void open(
      ClusterConfig config, List<String> here, Path data, List<StoppedServer> into)
      throws IOException {
    try {
      for (String server : here) {
        into.add(StoppedServer.open(config, server, data.resolve(server)));
      }
    } catch (IOException e) {
      for (StoppedServer server : into) {
        server.trust();
      }
      throw e;
    }
  }

  private List<String> here(ClusterConfig config, Path data, Recovery recovery, CommandLine command)
      throws IOException {
    Set<String> known = new LinkedHashSet<>();
    config.servers().forEach(server -> known.add(server.name()));
    known.addAll(RememberedCluster.servers(data));
    known.addAll(recovery.servers());
    for (String name : names) {
      Requirement.that(
          known.contains(name),
          command,
          "--server: cluster '"
              + config.name()
              + "' has no server '"
              + name
              + "'"
              + (config.changes()
                  ? "; if it has joined later, and has lost its disk, copy the reports of the others"
                      + " to "
                      + reports
                      + " first"
                  : ""));
    }
    List<String> here =
        names.isEmpty()
            ? known.stream().filter(name -> hasState(data.resolve(name))).toList()
            : names;
    Requirement.that(
        !here.isEmpty(),
        command,
        "no server of cluster '"
            + config.name()
            + "' has a directory in "
            + data
            + ": run the command where the servers are, or name one with --server");
    return here;
  }

  private static boolean hasState(Path directory) {
    return Files.exists(directory.resolve("state"));
  }

  private void run(Recovery recovery, List<StoppedServer> opened, PrintWriter out)
      throws IOException {
    Map<String, ServerMemory> now = new LinkedHashMap<>();
    for (StoppedServer server : opened) {
      ServerMemory memory = server.memory();
      now.put(server.name(), memory);
      Path file = report(server.name());
      if (!Files.exists(file)) {
        Path whole = reports.resolve(server.name() + ".json.new");
        Json.write(memory, whole);
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
        out.println("report of server '" + server.name() + "': " + file);
      }
    }
    recovery.readNew();
    List<StoppedServer> servers = new ArrayList<>();
    for (StoppedServer server : opened) {
      if (recovery.servers().contains(server.name())) {
        servers.add(server);
      } else {
        server.trust();
        out.println("server '" + server.name() + "' has left the cluster: it stays as it is");
      }
    }
    if (!recovery.missing().isEmpty()) {
      String missing = String.join(", ", recovery.missing());
      if (acceptLoss) {
        throw new FailedException(
            "there is no report of " + missing + " in " + reports + ": nothing was changed");
      }
      out.println("still missing: the reports of " + missing + "; copy them to " + reports);
      out.flush();
      return;
    }
    if (!recovery.isNeeded()) {
      for (StoppedServer server : servers) {
        server.trust();
      }
      for (StoppedServer server : servers) {
        ServerMemory memory = Objects.requireNonNull(now.get(server.name()));
        ServerMemory report = recovery.memory(server.name());
        if (memory.doubtful() != report.doubtful() || !memory.isLike(report)) {
          throw hasRunSince(server.name());
        }
      }
      throw new FailedException(
          "no partition has lost the votes of more than f replicas: start the servers, they rejoin"
              + " by themselves");
    }
    @Nullable Rollback rollback = recovery.rollback();
    if (rollback == null) {
      String change =
          recovery.lastMap() == 0
              ? ""
              : ", and at which the change of the cluster to map "
                  + recovery.lastMap()
                  + " was complete";
      throw new FailedException(
          "there is no state that f+1 replicas of each partition hold"
              + change
              + ": restore a backup into a new cluster ('morty restore')");
    }
    long aheadMicros =
        rollback.fence().timeMicros() - TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    if (aheadMicros > TimeUnit.MINUTES.toMicros(MOST_MINUTES_AHEAD)) {
      throw new FailedException(
          "server '"
              + recovery.latest()
              + "' has promises "
              + TimeUnit.MICROSECONDS.toMinutes(aheadMicros)
              + " minutes in the future, up to which nothing could commit: if only its clock is"
              + " wrong, set it, delete the reports on all machines, and begin again; otherwise"
              + " wait, or restore a backup");
    }
    goBack(recovery, rollback, servers, now, out);
    out.flush();
  }

  private void goBack(
      Recovery recovery,
      Rollback rollback,
      List<StoppedServer> servers,
      Map<String, ServerMemory> now,
      PrintWriter out)
      throws IOException {
    out.println("the cluster goes back to " + time(rollback.cut()));
    for (StoppedServer server : servers) {
      ServerMemory memory = now.get(server.name());
      // A directory in doubt has run since: what it remembers may be less than what it promised.
      if (memory != null && memory.hasGoneBack(rollback) && !memory.doubtful()) {
        server.settle();
        out.println("server '" + server.name() + "' has gone back already");
        continue;
      }
      if (memory == null || !memory.isLike(recovery.memory(server.name()))) {
        throw hasRunSince(server.name());
      }
      Path lost = reports.resolve(server.name() + ".lost.txt");
      List<String> lines = server.above(rollback.cut());
      Files.write(lost, lines);
      long commits = lines.stream().filter(line -> line.contains(" committed")).count();
      out.println(
          "server '"
              + server.name()
              + "' knows of "
              + commits
              + " commits that are lost, and of "
              + (lines.size() - commits)
              + " undecided transactions: "
              + lost);
      if (acceptLoss) {
        server.apply(rollback);
        out.println("server '" + server.name() + "' has gone back");
      }
    }
    if (!acceptLoss) {
      out.println("to accept that loss, add --accept-loss, on every machine");
    }
  }

  private FailedException hasRunSince(String server) {
    return new FailedException(
        "server '"
            + server
            + "' has run since its report "
            + report(server)
            + " was written: stop all servers, delete the reports on all machines, and begin again");
  }

  private Path report(String server) {
    return reports.resolve(server + ".json");
  }

  private static String time(TxnId cut) {
    return cut.timeMicros() == 0
        ? "its beginning: all data are lost"
        : Instant.EPOCH.plusMillis(TimeUnit.MICROSECONDS.toMillis(cut.timeMicros())).toString();
  }

  private static void close(StoppedServer server) {
    try {
      server.close();
    } catch (IOException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    }
  }
}
