package org.mortydb.cli;

import org.mortydb.client.net.ClusterChange;
import org.mortydb.config.ClusterConfig;
import picocli.CommandLine.Command;

/** {@code morty partitions show}. */
@Command(name = "show", header = "Shows the map of a cluster, and the change that is under way.")
final class PartitionsShowCommand extends ShowMapCommand {
  @Override
  String text(ClusterConfig config, ClusterChange.Outcome outcome) {
    return ChangeOptions.text(config, outcome);
  }
}
