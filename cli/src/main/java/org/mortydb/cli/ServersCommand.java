package org.mortydb.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code morty servers}. */
@Command(
    name = "servers",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    synopsisSubcommandLabel = "COMMAND",
    header = "Shows the servers of a cluster, and lets servers join and leave.",
    description = {
      "",
      "Servers join and leave while transactions go on. The configuration of the cluster must have"
          + " 'cluster.changes = true'. It stays as it was on the first day: the cluster itself"
          + " remembers who has joined and left.",
      "",
      "If a command is stopped in the middle, 'morty partitions resume' ends the change that it has"
          + " begun. Then run the command again: it does what is left.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty servers show --config cluster.conf",
      "  morty servers add us-2 --address 10.0.0.7:7000 --region us --config cluster.conf",
      "  morty servers replace us-1 us-2 --config cluster.conf",
      "  morty servers remove us-1 --config cluster.conf"
    },
    subcommands = {
      ServersShowCommand.class,
      ServersAddCommand.class,
      ServersRemoveCommand.class,
      ServersReplaceCommand.class
    })
final class ServersCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }
}
