package org.mortydb.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.mortydb.protocol.change.MapChange;
import org.mortydb.protocol.change.Plans;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty partitions move}. */
@Command(
    name = "move",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Moves a partition to other servers, under a new number.",
    description = {
      "",
      "All servers of the new partition must be up. Some of them may be the same as before. If all"
          + " are, in the same order, nothing changes.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the command was refused, or given up, and nothing was changed",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot be reached, or has not carried it out in time"
    })
final class PartitionsMoveCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "PARTITION", description = "The number of the partition.")
  private int partition;

  @Option(
      names = "--on",
      required = true,
      paramLabel = "SERVERS",
      split = " *, *",
      description = "The servers of the new partition, 2f+1 names.")
  private List<String> servers = List.of();

  @Mixin private ChangeOptions options = new ChangeOptions();

  @Override
  public Integer call() throws InterruptedException {
    ChangeOptions.requireNames(spec.commandLine(), servers);
    MapChange.Plan move = Plans.move(partition, servers);
    return options.carryOut(
        spec.commandLine(),
        (last, number, newPartition, cutMicros) ->
            servers.equals(last.servers().get(partition))
                ? null
                : move.next(last, number, newPartition, cutMicros));
  }
}
