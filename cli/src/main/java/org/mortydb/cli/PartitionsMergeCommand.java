package org.mortydb.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.change.Plans;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty partitions merge}. */
@Command(
    name = "merge",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Moves the keys of several partitions to a new one.",
    description = {
      "",
      "All servers of the new partition must be up. The partitions that are merged end.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the command was refused, or given up, and nothing was changed",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot be reached, or has not carried it out in time"
    })
final class PartitionsMergeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "2..*",
      paramLabel = "PARTITION",
      description = "The numbers of the partitions, two or more.")
  private List<Integer> partitions = List.of();

  @Option(
      names = "--on",
      paramLabel = "SERVERS",
      split = " *, *",
      description = {
        "The servers of the new partition, 2f+1 names (default: those of the first partition, if all"
            + " are on the same servers)."
      })
  private @Nullable List<String> servers;

  @Mixin private ChangeOptions options = new ChangeOptions();

  @Override
  public Integer call() throws InterruptedException {
    ChangeOptions.requireNames(spec.commandLine(), servers == null ? List.of() : servers);
    return options.carryOut(spec.commandLine(), Plans.merge(partitions, servers));
  }
}
