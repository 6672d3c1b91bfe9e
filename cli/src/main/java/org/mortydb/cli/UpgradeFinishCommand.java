package org.mortydb.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.mortydb.cli.upgrade.UpgradeFinish;
import org.mortydb.cli.upgrade.UpgradeState;
import org.mortydb.config.ClusterConfig;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty upgrade finish}. */
@Command(
    name = "finish",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Raises the version that the cluster uses to the newest that all servers speak.",
    description = {
      "",
      "All servers must answer and speak the new version; each of them checks that once more, and"
          + " stores the version before it uses it. From then on no server can go back to a release"
          + " that does not speak it. With TLS the client needs the right 'admin'. Repeating the"
          + " command does no harm.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty upgrade check --config cluster.conf && morty upgrade finish --config cluster.conf"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all servers use the newest version that all of them speak",
      "1:something blocks the upgrade, and nothing was changed",
      "2:the command line or the configuration file is wrong",
      "3:not all servers have answered, or not all use the version yet"
    })
final class UpgradeFinishCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();
  @Mixin private UpgradeOptions options = new UpgradeOptions();

  @Option(
      names = "--refuse-old-clients",
      description = "Locks out clients that do not speak the new version (default: they block it).")
  private boolean refuseOldClients;

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    PrintWriter err = command.getErr();
    ClusterConfig config = cluster.cluster(command);
    String region = cluster.region(config, command);
    UpgradeState state = options.state(config, region, command);
    if (!state.complete()) {
      print(err, "not all servers have answered, so nothing was changed:", state.blockers());
      return ExitCode.FAILED;
    }
    List<String> blockers = state.blockers(refuseOldClients);
    if (!blockers.isEmpty()) {
      print(err, "something blocks the upgrade, so nothing was changed:", blockers);
      return ExitCode.VIOLATION;
    }
    if (!state.program().includes(state.finishTo())) {
      err.println(
          "this program does not speak version "
              + state.finishTo()
              + ": run the command of the servers' release");
      return ExitCode.VIOLATION;
    }
    boolean isFinished =
        state.servers().stream().allMatch(server -> server.inUse() == state.finishTo());
    return isFinished
        ? finished(state.finishTo(), command)
        : finish(config, region, state.finishTo(), command);
  }

  private int finish(ClusterConfig config, String region, int version, CommandLine command)
      throws InterruptedException {
    UpgradeFinish finished =
        options.withCredentials(
            () -> UpgradeFinish.of(config, region, options.timeout(command), version));
    if (!finished.problems().isEmpty()) {
      print(
          command.getErr(),
          "not all servers use version "
              + version
              + " yet. Correct what they report, then run the command again:",
          finished.problems());
      return ExitCode.FAILED;
    }
    return finished(version, command);
  }

  private static int finished(int version, CommandLine command) {
    command.getOut().printf("all servers use version %d%n", version);
    command.getOut().flush();
    return ExitCode.OK;
  }

  private static void print(PrintWriter err, String head, List<String> lines) {
    err.println(head);
    lines.forEach(line -> err.println("  " + line));
    err.flush();
  }
}
