package org.mortydb.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code morty replication}. */
@Command(
    name = "replication",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    synopsisSubcommandLabel = "COMMAND",
    header = "Changes how many failures each partition tolerates.",
    description = {
      "",
      "Each partition has 2f+1 replicas. The configuration of the cluster must have"
          + " 'cluster.changes = true'.",
      ""
    },
    footer = {"", "Example:", "  morty replication set --f 2 --config cluster.conf"},
    subcommands = {ReplicationSetCommand.class})
final class ReplicationCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }
}
