package org.mortydb.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.mortydb.client.net.ClusterChange;
import org.mortydb.protocol.change.Plans;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty replication set}. */
@Command(
    name = "set",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Moves all partitions to new ones with 2f+1 replicas.",
    description = {
      "",
      "All keys are copied, in one change. The servers that get replicas must be up. As many as"
          + " possible of those that hold a partition now go on to hold it.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the command was refused, or given up, and nothing was changed",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot be reached, or has not carried it out in time"
    })
final class ReplicationSetCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--f",
      required = true,
      paramLabel = "N",
      description = "How many failures each partition tolerates.")
  private int f;

  @Mixin private ChangeOptions options = new ChangeOptions();

  @Override
  public Integer call() throws InterruptedException {
    return options.carryOut(
        spec.commandLine(),
        List.of(ChangeOptions.step(c -> Plans.replication(f, ClusterChange.members(c)))));
  }
}
