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

/** {@code morty servers replace}. */
@Command(
    name = "replace",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Moves what a server holds to another one, and lets the first leave the cluster.",
    description = {
      "",
      "The other server has joined with 'morty servers add', and runs. Once the command has ended,"
          + " stop the first one. The command waits until no transaction needs it any more, about as"
          + " long as 'server.replica.retention'.",
      "",
      "A server that comes back under its own name with an empty disk needs no command.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the command was refused, or given up; what it has changed before that stays",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot be reached, or has not carried it out in time"
    })
final class ServersReplaceCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "OLD", description = "The server that leaves.")
  private String old = "";

  @Parameters(index = "1", paramLabel = "NEW", description = "The server that takes its place.")
  private String by = "";

  @Mixin private ChangeOptions options = new ChangeOptions();

  @Override
  public Integer call() throws InterruptedException {
    return options.carryOut(
        spec.commandLine(),
        List.of(
            ChangeOptions.step(c -> Plans.replace(old, by, ClusterChange.members(c))),
            ChangeOptions.SETTLE,
            ChangeOptions.step(c -> Plans.leave(old, ClusterChange.members(c)))));
  }
}
