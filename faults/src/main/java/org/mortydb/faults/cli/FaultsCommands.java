package org.mortydb.faults.cli;

import org.mortydb.check.jepsen.MalformedHistoryException;
import org.mortydb.cli.CommandPlugin;
import picocli.CommandLine;

/** The commands of this module. */
public final class FaultsCommands implements CommandPlugin {
  /** For the service loader. */
  public FaultsCommands() {}

  @Override
  public void addTo(CommandLine morty) {
    morty.addSubcommand(SoakCommand.class);
    morty.addSubcommand(GrowthCommand.class);
    morty.addSubcommand(FaultsCommand.class);
    morty.addSubcommand(CheckCommand.class);
    morty.addSubcommand(DurabilityCommand.class);
  }

  @Override
  public boolean explains(Exception failure) {
    return failure instanceof MalformedHistoryException;
  }
}
