package org.mortydb.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code morty partitions}. */
@Command(
    name = "partitions",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    synopsisSubcommandLabel = "COMMAND",
    header = "Shows and changes which servers hold which part of the keys.",
    description = {
      "",
      "The map of a cluster says which partition holds each of its 16,384 buckets of keys, and"
          + " which servers hold each partition. It changes while transactions go on, one change at"
          + " a time. The configuration of the cluster must have 'cluster.changes = true'.",
      "",
      "If a command is stopped in the middle, 'resume' ends its change.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty partitions show --config cluster.conf",
      "  morty partitions split 0 --config cluster.conf",
      "  morty partitions merge 0 1 --config cluster.conf",
      "  morty partitions move 0 --on us-2,eu-2,ap-2 --config cluster.conf",
      "  morty partitions resume --config cluster.conf"
    },
    subcommands = {
      PartitionsShowCommand.class,
      PartitionsSplitCommand.class,
      PartitionsMergeCommand.class,
      PartitionsMoveCommand.class,
      PartitionsResumeCommand.class
    })
final class PartitionsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }
}
