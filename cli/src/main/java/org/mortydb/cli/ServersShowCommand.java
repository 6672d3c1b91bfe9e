package org.mortydb.cli;

import java.util.List;
import org.mortydb.cli.text.TextTable;
import org.mortydb.client.net.ClusterChange;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.change.Plans;
import org.mortydb.protocol.model.ClusterMap;
import picocli.CommandLine.Command;

/** {@code morty servers show}. */
@Command(name = "show", header = "Shows the servers of a cluster, and which partitions they hold.")
final class ServersShowCommand extends ShowMapCommand {
  private static final int WORDS = 4;

  @Override
  String text(ClusterConfig config, ClusterChange.Outcome outcome) {
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
