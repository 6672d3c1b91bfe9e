package org.mortydb.cli;

import java.util.concurrent.Callable;
import org.mortydb.cli.upgrade.UpgradeState;
import org.mortydb.config.ClusterConfig;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code morty upgrade check}. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Shows the versions of servers, data and clients, and what an upgrade would do.",
    description = {
      "",
      "Asks every server over a client's connection and changes nothing. Run the command of the new"
          + " release before an upgrade: it also says whether servers can run that release.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty upgrade check --config cluster.conf",
      "  morty upgrade check --config cluster.conf --output json | jq .blockers"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing blocks the upgrade",
      "1:something blocks it",
      "2:the command line or the configuration file is wrong",
      "3:not all servers have answered, or the credentials cannot be used"
    })
final class UpgradeCheckCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();
  @Mixin private UpgradeOptions options = new UpgradeOptions();
  @Mixin private OutputOption output = new OutputOption();

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    ClusterConfig config = cluster.cluster(command);
    UpgradeState state = options.state(config, cluster.region(config, command), command);
    output.print(command, state, state::text);
    if (!state.complete()) {
      return ExitCode.FAILED;
    }
    return state.blockers(false).isEmpty() ? ExitCode.OK : ExitCode.VIOLATION;
  }
}
