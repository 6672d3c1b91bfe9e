package org.mortydb.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.mortydb.client.net.ClusterChange;
import org.mortydb.protocol.change.Plans;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty servers remove}. */
@Command(
    name = "remove",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Moves what a server holds to others, and lets it leave the cluster.",
    description = {
      "",
      "Once the command has ended, stop the server. The servers that get its partitions must be up."
          + " The command waits until no transaction needs the server any more, about as long as"
          + " 'server.replica.retention'.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the command was refused, or given up; what it has changed before that stays",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot be reached, or has not carried it out in time"
    })
final class ServersRemoveCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "NAME", description = "The name of the server.")
  private String name = "";

  @Mixin private ChangeOptions options = new ChangeOptions();

  @Override
  public Integer call() throws InterruptedException {
    return options.carryOut(
        spec.commandLine(),
        List.of(
            ChangeOptions.step(c -> Plans.evacuate(name, ClusterChange.members(c))),
            ChangeOptions.SETTLE,
            ChangeOptions.step(c -> Plans.leave(name, ClusterChange.members(c)))));
  }
}
