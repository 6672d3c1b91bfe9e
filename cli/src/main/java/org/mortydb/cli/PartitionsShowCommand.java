package org.mortydb.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code morty partitions show}. */
@Command(
    name = "show",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Shows the map of a cluster, and the change that is under way.",
    description = {"", "Reads the records of the maps. It changes nothing.", ""},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the command was refused, or given up, and nothing was changed",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot be reached, or has not carried it out in time"
    })
final class PartitionsShowCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private ChangeOptions options = new ChangeOptions();

  @Override
  public Integer call() throws InterruptedException {
    return options.show(spec.commandLine());
  }
}
