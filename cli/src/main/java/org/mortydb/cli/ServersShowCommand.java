package org.mortydb.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.mortydb.cli.text.TextTable;
import org.mortydb.client.net.ClusterChange;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.change.Plans;
import org.mortydb.protocol.model.ClusterMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code morty servers show}. */
@Command(
    name = "show",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Shows the servers of a cluster, and which partitions they hold.",
    description = {"", "Reads the records of the maps. It changes nothing.", ""},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the command was refused, or given up, and nothing was changed",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot be reached, or has not carried it out in time"
    })
final class ServersShowCommand implements Callable<Integer> {
  private static final int WORDS = 4;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private ChangeOptions options = new ChangeOptions();

  @Override
  public Integer call() throws InterruptedException {
    return options.show(spec.commandLine(), ServersShowCommand::text);
  }

  private static String text(ClusterConfig config, ClusterChange.Outcome outcome) {
    ClusterMap map = outcome.maps().last();
    TextTable table =
        new TextTable(column -> column < WORDS).row("server", "region", "address", "partitions");
    for (ServerSpec server : config.servers(map)) {
      List<Integer> held = Plans.heldBy(map, server.name());
      table.row(
          server.name(),
          server.region(),
          server.address(),
          held.isEmpty() ? "none" : held.toString().replaceAll("[\\[\\]]", ""));
    }
    return table.toString();
  }
}
