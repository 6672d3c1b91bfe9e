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

/** {@code morty partitions split}. */
@Command(
    name = "split",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Moves half of a partition's keys to a new partition.",
    description = {
      "",
      "The new partition gets the upper half of the buckets. All its servers must be up.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the command was refused, or given up, and nothing was changed",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot be reached, or has not carried it out in time"
    })
final class PartitionsSplitCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "PARTITION", description = "The number of the partition.")
  private int partition;

  @Option(
      names = "--on",
      paramLabel = "SERVERS",
      split = " *, *",
      description = {
        "The servers of the new partition, 2f+1 names (default: those of the one that is split)."
      })
  private @Nullable List<String> servers;

  @Mixin private ChangeOptions options = new ChangeOptions();

  @Override
  public Integer call() throws InterruptedException {
    ChangeOptions.requireNames(spec.commandLine(), servers == null ? List.of() : servers);
    return options.carryOut(spec.commandLine(), Plans.split(partition, servers));
  }
}
