package org.mortydb.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code morty upgrade}. */
@Command(
    name = "upgrade",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    synopsisSubcommandLabel = "COMMAND",
    header = "Shows and ends the upgrade of a cluster to another release.",
    description = {
      "",
      "Servers are upgraded one at a time while the cluster works. Until 'finish' they send and"
          + " store only what the release before can read, so that each can go back to it.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty upgrade check --config cluster.conf",
      "  morty upgrade finish --config cluster.conf"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing blocks the upgrade, or it is finished",
      "1:something blocks it",
      "2:the command line or the configuration file is wrong",
      "3:not all servers have answered, or the credentials cannot be used"
    },
    subcommands = {UpgradeCheckCommand.class, UpgradeFinishCommand.class})
final class UpgradeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }
}
