package org.mortydb.cli;

import java.util.concurrent.Callable;
import org.mortydb.client.net.ClusterChange;
import org.mortydb.config.ClusterConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that shows something of the map of a cluster. */
@Command(
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    description = {"", "Reads the records of the maps. It changes nothing.", ""},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the command was refused",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot be reached, or has not answered in time"
    })
abstract class ShowMapCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private ChangeOptions options = new ChangeOptions();

  @Override
  public final Integer call() throws InterruptedException {
    return options.show(spec.commandLine(), this::text);
  }

  /** What to print. */
  abstract String text(ClusterConfig config, ClusterChange.Outcome outcome);
}
